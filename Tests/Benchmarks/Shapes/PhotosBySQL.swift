/// An album with its photos and their links, by set SQL.
struct PhotosBySQL {
  static func clone(in path: String) throws {
    let connection = try Connection(path)
    try connection.execute("BEGIN IMMEDIATE")
    let album = try connection.number("SELECT max(id) + 1 FROM album")
    try connection.execute(
      "INSERT INTO album(id, name) SELECT ?, name FROM album WHERE id = 1", .integer(album))
    try connection.makeMap("photos", startingAbove: "photo")
    try connection.execute("INSERT INTO photos(old) SELECT id FROM photo WHERE album_id = 1 ORDER BY id")
    try connection.endSeed(of: "photos")
    try connection.execute(
      """
      INSERT INTO photo(id, name, album_id)
        SELECT m.new, s.name, ? FROM photos m CROSS JOIN photo s ON s.id = m.old
      """, .integer(album))
    try connection.execute(
      """
      INSERT INTO photo_tag(photo_id, tag_id)
        SELECT m.new, s.tag_id FROM photos m CROSS JOIN photo_tag s ON s.photo_id = m.old
      """)
    try connection.execute("COMMIT")
  }
}

extension Work {
  static let photosBySQL = Work("photos-sql") { try PhotosBySQL.clone(in: $0.path) }
}
