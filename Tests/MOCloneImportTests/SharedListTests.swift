import MOCloneKit
import Testing

@Suite("Ordered lists that rows of several entities join")
struct SharedListTests {
  private static func model() throws -> ObjectModel {
    try folderModel(
      note: "abstract: true\n    attributes: {text: String?}",
      """
        TextNote: {parent: Note, attributes: {name: String}, uniquenessConstraints: [[name]]}
        ImageNote: {parent: Note, attributes: {label: String}, uniquenessConstraints: [[label]]}
      """)
  }

  /// Images with the folder that they are in, and texts in that folder.
  private static func mapping(_ list: String, inverse: String) -> String {
    """
    entity: ImageNote
    attributes: {label: '@label'}
    relationships:
      \(inverse):
        attributes: {name: '@folder'}
        relationships: {\(list): {entity: TextNote, rows: texts, attributes: {name: '@name'}}}
    """
  }

  /// The members of the lists by their folders.
  private func lists(_ list: String, in graph: any ImportingGraph) throws -> [String: String] {
    var lists: [String: String] = [:]
    for folder in try graph.objects("Folder") {
      let members = try folder.destinations(list).map { note in
        try note.value(note.id.entity == "TextNote" ? "name" : "label").description
      }
      lists[try folder.value("name").description] = members.joined(separator: " ")
    }
    return lists
  }

  private static let rows = """
    {"label": "i", "folder": "F", "texts": [{"name": "t"}, {"name": "u"}]}
    {"label": "j", "folder": "F", "texts": [{"name": "v"}]}
    """

  @Test(
    "Members that refer to the owner come in the order of their lines",
    arguments: Backend.allCases, ExistingPolicy.allCases)
  func references(_ backend: Backend, _ existing: ExistingPolicy) throws {
    let graph = try backend.graph(Self.model())
    let mapping = Self.mapping("notes", inverse: "folder")
    let options = ImportOptions(existing: existing)
    try graph.importText(Self.rows, .ndjson, mapping, options)
    #expect(try lists("notes", in: graph) == ["F": "t u i v j"])
    let more = """
      {"label": "k", "folder": "F", "texts": [{"name": "w"}]}
      {"label": "l", "folder": "F", "texts": []}
      """
    try graph.importText(more, .ndjson, mapping, options)
    #expect(try lists("notes", in: graph) == ["F": "t u i v j w k l"])
  }

  @Test("Those of one line come entity by entity", arguments: Backend.allCases)
  func oneLine(_ backend: Backend) throws {
    let graph = try backend.graph(Self.model())
    let text = "[" + Self.rows.replacing("\n", with: ", ") + "]"
    try graph.importText(text, .json, Self.mapping("notes", inverse: "folder"))
    #expect(try lists("notes", in: graph) == ["F": "t u v i j"])
  }

  @Test("Members that move to another owner come in that order, too", arguments: Backend.allCases)
  func moves(_ backend: Backend) throws {
    let graph = try backend.graph(Self.model())
    let mapping = Self.mapping("notes", inverse: "folder")
    try graph.importText(Self.rows, .ndjson, mapping)
    let moved = """
      {"label": "m", "folder": "G", "texts": [{"name": "v"}]}
      {"label": "i", "folder": "G", "texts": [{"name": "n"}, {"name": "t"}]}
      """
    try graph.importText(moved, .ndjson, mapping, ImportOptions(existing: .update))
    #expect(try lists("notes", in: graph) == ["F": "u j", "G": "v m n t i"])
  }

  @Test("Pairs of one relationship come behind those of another into a list", arguments: Backend.allCases)
  func pairs(_ backend: Backend) throws {
    let graph = try backend.graph(Self.model())
    let mapping = Self.mapping("tags", inverse: "tagged")
    try graph.importText(Self.rows, .ndjson, mapping)
    #expect(try lists("tags", in: graph) == ["F": "i j t u v"])
    try graph.importText(#"{"label": "k", "folder": "F", "texts": [{"name": "w"}]}"#, .ndjson, mapping)
    #expect(try lists("tags", in: graph) == ["F": "i j t u v k w"])
  }
}
