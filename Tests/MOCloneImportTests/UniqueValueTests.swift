import MOCloneKit
import TestSupport
import Testing

@Suite("Unique values that rows of a file give to other objects")
struct UniqueValueTests {
  /// Seats a, b and c with the numbers 1, 2 and 3.
  private func graph(_ backend: Backend, isOptional: Bool = false) throws -> any ImportingGraph {
    let graph = try backend.graph(
      ObjectModel(yaml: "version: 1\nname: Seats\n" + SharedModel.seats(isOptional: isOptional)))
    try update("a,1", "b,2", "c,3", in: graph)
    return graph
  }

  @discardableResult
  private func update(_ rows: String..., in graph: any ImportingGraph) throws -> TransferReport {
    try graph.importText(
      "name,number\n" + rows.joined(separator: "\n"), .csv,
      "entity: Seat\nattributes: {name: '@name', number: '@number'}\nnull: '-'",
      ImportOptions(existing: .update))
  }

  private func seats(_ graph: any ImportingGraph) throws -> [String] {
    try graph.objects("Seat").map { "\(try $0.value("name")) \(try $0.value("number"))" }.sorted()
  }

  @Test(
    "A new object takes a value that another row, before or after it, gives up",
    arguments: Backend.allCases, [false, true])
  func taken(_ backend: Backend, isOptional: Bool) throws {
    let graph = try graph(backend, isOptional: isOptional)
    let report = try update("d,1", "a,4", in: graph)
    #expect(report.created == ["Seat": 1] && report.updated == ["Seat": 1])
    #expect(try seats(graph) == ["a 4", "b 2", "c 3", "d 1"])
    try update("b,3", "e,2", "c,1", "d,5", in: graph)
    #expect(try seats(graph) == ["a 4", "b 3", "c 1", "d 5", "e 2"])
  }

  @Test("So it does where that row says null", arguments: Backend.allCases)
  func emptied(_ backend: Backend) throws {
    let graph = try graph(backend, isOptional: true)
    let report = try update("d,1", "a,-", in: graph)
    #expect(report.updated == ["Seat": 1])
    #expect(try seats(graph) == ["a null", "b 2", "c 3", "d 1"])
  }

  @Test("A value that its object keeps is refused with the row", arguments: Backend.allCases)
  func kept(_ backend: Backend) throws {
    let graph = try graph(backend)
    let text = message { try update("a,4", "d,2", in: graph) }
    #expect(text.contains("rows.csv:3: "), "\(text)")
    #expect(try seats(graph) == ["a 1", "b 2", "c 3"])
  }
}
