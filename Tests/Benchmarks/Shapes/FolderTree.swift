/// Folders in folders: a tree of some fan-out; with a fan-out of one, a chain.
struct FolderTree: Shape {
  let count: Int
  let fanOut: Int

  var title: String {
    fanOut == 1 ? "a chain of \(Unit.count(count))" : "a tree of \(Unit.count(count)) folders"
  }
  var file: String { "folders-\(count)-\(fanOut).sqlite" }

  static let model = """
    version: 1
    name: Folders
    entities:
      Folder:
        attributes:
          name: String
        relationships:
          parent:   {destination: Folder, optional: true, inverse: children}
          children: {destination: Folder, toMany: true, inverse: parent}
    """

  func fill(_ connection: Connection) throws {
    let insert = try connection.prepare("INSERT INTO folder(id, name, parent_id) VALUES (?, ?, ?)")
    for i in 0..<count {
      for tree in 1...2 {
        let parent = (i - 1) / fanOut
        try insert.run([
          .integer(id(i, tree)), .text("Folder \(i)"), i == 0 ? .null : .integer(id(parent, tree)),
        ])
      }
    }
  }

  private func id(_ number: Int, _ tree: Int) -> Int64 {
    Int64(2 * number + tree)
  }

  func check(_ checks: StoreChecks) throws {
    try checks.expect("SELECT count(*) FROM folder", 3 * count)
    try checks.expect(
      "SELECT count(*) FROM folder WHERE id > \(2 * count) AND parent_id <= \(2 * count)", 0)
    let pairs = "SELECT s.name, p.name FROM folder s LEFT JOIN folder p ON p.id = s.parent_id"
    try checks.expectEqual(
      "\(pairs) WHERE s.id <= \(2 * count) AND s.id % 2 = 1 ORDER BY s.name",
      "\(pairs) WHERE s.id > \(2 * count) ORDER BY s.name", rows: count)
  }
}

extension Work {
  static let foldersByMoclone = cloneOfFirst("folders-moclone", of: "Folder", FolderTree.model)
}
