import MOCloneKit
import Testing

@Suite("The order in which rows join lists")
struct ListOrderTests {
  /// Folder A with the notes x and y, folder B with z.
  private func graph(_ backend: Backend) throws -> any ImportingGraph {
    let graph = try backend.graph(
      folderModel(note: "attributes: {name: String}\n    uniquenessConstraints: [[name]]"))
    try graph.importText(
      #"[{"name": "A", "notes": [{"name": "x"}, {"name": "y"}]}, {"name": "B", "notes": [{"name": "z"}]}]"#,
      .json,
      "entity: Folder\nattributes: {name: '@name'}\n"
        + "relationships: {notes: {rows: notes, attributes: {name: '@name'}}}")
    return graph
  }

  private func lists(_ rows: String..., in backend: Backend) throws -> [String] {
    let graph = try graph(backend)
    try graph.importText(
      "name,folder\n" + rows.joined(separator: "\n"), .csv,
      "entity: Note\nattributes: {name: '@name'}\nrelationships: {folder: {attributes: {name: '@folder'}}}",
      ImportOptions(existing: .update))
    return try graph.objects("Folder").map { folder in
      try folder.destinations("notes").map { try $0.value("name").description }.joined(separator: " ")
    }
  }

  @Test("New objects and those that move there come in the order of the rows", arguments: Backend.allCases)
  func order(_ backend: Backend) throws {
    #expect(try lists("n,A", "z,A", "m,A", in: backend) == ["x y n z m", ""])
    #expect(try lists("y,B", "n,B", "x,B", "m,A", in: backend) == ["m", "z y n x"])
  }

  @Test(
    "A member keeps its place, and one with several rows has that of the first", arguments: Backend.allCases)
  func places(_ backend: Backend) throws {
    #expect(try lists("n,A", "y,A", "x,A", in: backend) == ["x y n", "z"])
    #expect(try lists("n,A", "m,B", "n,B", in: backend) == ["x y", "z n m"])
  }
}
