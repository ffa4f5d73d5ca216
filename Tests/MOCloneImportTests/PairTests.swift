import GRDB
import MOCloneKit
import Testing

@Suite("Pairs that a file names in several places")
struct PairTests {
  private static func music(ordered: Bool) throws -> ObjectModel {
    try ObjectModel(
      yaml: """
        version: 1
        name: Music
        entities:
          Playlist:
            attributes: {name: String}
            relationships: {songs: {destination: Song, toMany: true, ordered: \(ordered), inverse: playlists}}
            uniquenessConstraints: [[name]]
          Song:
            attributes: {name: String}
            relationships: {playlists: {destination: Playlist, toMany: true, ordered: \(ordered), inverse: songs}}
            uniquenessConstraints: [[name]]
        """)
  }

  private static let bothSides = """
    entity: Playlist
    attributes: {name: '@name'}
    relationships:
      songs:
        rows: songs
        attributes: {name: '@name'}
        relationships:
          playlists:
            rows: playlists
            attributes: {name: '@name'}
            relationships: {songs: {rows: songs, attributes: {name: '@name'}}}
    """

  private static let samePair = #"[{"name": "P", "songs": [{"name": "s", "playlists": [{"name": "P"}]}]}]"#

  /// The names in the list of each object, by its own.
  private func lists(
    _ relationship: String, of entity: String, in graph: any ImportingGraph
  ) throws -> [String: String] {
    var lists: [String: String] = [:]
    for object in try graph.objects(entity) {
      let members = try object.destinations(relationship).map { try $0.value("name").description }
      let name = try object.value("name").description
      lists[name] = members.joined(separator: " ")
    }
    return lists
  }

  @Test("A pair that a file names from both sides comes in once", arguments: Backend.allCases)
  func namedFromBothSides(_ backend: Backend) throws {
    for ordered in [false, true] {
      for existing in ExistingPolicy.allCases {
        let graph = try backend.graph(Self.music(ordered: ordered))
        let options = ImportOptions(existing: existing)
        let report = try graph.importText(Self.samePair, .json, Self.bothSides, options)
        #expect(report.linked == ["Playlist.songs": 1], "\(existing)")
        try graph.importText(Self.samePair, .json, Self.bothSides, options)
        #expect(try lists("songs", of: "Playlist", in: graph) == ["P": "s"], "\(existing)")
        #expect(try lists("playlists", of: "Song", in: graph) == ["s": "P"], "\(existing)")
      }
    }
  }

  @Test("A join table with a key of its own gets each pair once")
  func ownKey() throws {
    let queue = try DatabaseQueue()
    try queue.write {
      try $0.execute(
        sql: """
          CREATE TABLE playlist(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
          CREATE TABLE song(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
          CREATE TABLE playlist_song(id INTEGER PRIMARY KEY, playlist_id INTEGER NOT NULL REFERENCES playlist,
            song_id INTEGER NOT NULL REFERENCES song);
          """)
    }
    let model = try Self.music(ordered: false)
    let graph = SQLiteGraph(queue, model: model)
    try graph.importText(Self.samePair, .json, Self.bothSides)
    let pairs = try queue.read { try Int.fetchOne($0, sql: "SELECT count(*) FROM playlist_song") }
    #expect(pairs == 1)
  }

  @Test(
    "Lists that are filled from both sides have the order of the first rows", arguments: Backend.allCases)
  func orderOnBothSides(_ backend: Backend) throws {
    let graph = try backend.graph(Self.music(ordered: true))
    let update = ImportOptions(existing: .update)
    try graph.importText(#"[{"name": "Old", "songs": [{"name": "a"}]}]"#, .json, Self.bothSides)
    let rows = """
      [{"name": "New", "songs": [
        {"name": "s", "playlists": [{"name": "Old", "songs": [{"name": "t"}, {"name": "a"}]}, {"name": "New"}]},
        {"name": "a"}]}]
      """
    try graph.importText(rows, .json, Self.bothSides, update)
    #expect(try lists("songs", of: "Playlist", in: graph) == ["Old": "a s t", "New": "s a"])
    #expect(
      try lists("playlists", of: "Song", in: graph) == ["a": "Old New", "s": "New Old", "t": "Old"])
  }

  private static func pages() throws -> ObjectModel {
    try ObjectModel(
      yaml: """
        version: 1
        name: Pages
        entities:
          Page:
            attributes: {name: String}
            relationships:
              parent: {destination: Page, optional: true, inverse: children}
              children: {destination: Page, toMany: true, inverse: parent}
              tags: {destination: Tag, toMany: true, ordered: true, inverse: pages}
            uniquenessConstraints: [[name]]
          Tag:
            attributes: {name: String}
            relationships: {pages: {destination: Page, toMany: true, inverse: tags}}
            uniquenessConstraints: [[name]]
        """)
  }

  private static let ownAndParent = """
    entity: Page
    attributes: {name: '@name'}
    relationships:
      tags: {rows: tags, attributes: {name: '@'}}
      parent:
        rows: parent
        attributes: {name: '@name'}
        relationships: {tags: {rows: tags, attributes: {name: '@'}}}
    """

  @Test(
    "A list that is filled in two places of a mapping has the order of the first rows",
    arguments: Backend.allCases)
  func twoPlaces(_ backend: Backend) throws {
    func tags(_ files: String...) throws -> String? {
      let graph = try backend.graph(Self.pages())
      for rows in files {
        try graph.importText(
          "[\(rows)]", .json, Self.ownAndParent, ImportOptions(existing: .update))
      }
      return try lists("tags", of: "Page", in: graph)["r"]
    }
    let asParent = #"{"name": "a", "parent": {"name": "r", "tags": ["x", "z"]}}"#
    #expect(try tags(asParent + #", {"name": "r", "tags": ["w", "x"]}"#) == "x z w")
    #expect(try tags(#"{"name": "r", "tags": ["b"]}, "# + asParent) == "b x z")
    #expect(
      try tags(#"{"name": "r", "tags": ["s"]}"#, #"{"name": "r", "tags": ["z", "s"]}, "# + asParent)
        == "s z x")
  }
}
