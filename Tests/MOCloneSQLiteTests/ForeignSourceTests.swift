import MOCloneKit
import Testing

/// Stores of other programs that hold what a graph of the model would refuse.
@Suite("Copies and subtrees from stores that do not enforce the model")
struct ForeignSourceTests {
  private static let model = """
    entities:
      Note:
        attributes: {name: String}
        uniquenessConstraints: [[name]]
      LongNote: {parent: Note, attributes: {more: String?}}
    """
  private static let tables = "CREATE TABLE note(id INTEGER PRIMARY KEY, entity TEXT, name TEXT, more TEXT);"

  private func graph(_ sql: String) throws -> SQLiteGraph {
    let store = try StoreFixture(Self.model, Self.tables + sql)
    return SQLiteGraph(store.writer, model: store.model)
  }

  @Test("Objects of several entities with one identity are refused with their list")
  func severalEntities() throws {
    let source = try graph("INSERT INTO note VALUES (3, 'Note', 'a', NULL), (4, 'LongNote', 'a', 'm');")
    for joins in [false, true] {
      let error = #expect(throws: CloneError.self) {
        try graph("").copyObjects(from: source, CopyRequest(joinsDuplicates: joins), run: MoveRun())
      }
      #expect(error?.code == (joins ? .identityOfOtherEntity : .ambiguousIdentity))
      if !joins { for key in ["Note 3", "Note 4"] { #expect("\(error!)".contains(key), "\(error!)") } }
    }
  }
}
