/// An album of photos with ten tags each: many-to-many, where the tags are shared.
struct TaggedPhotos: Shape {
  static let tags = 1000
  static let tagsOfPhoto = 10
  let photos: Int
  var links: Int { photos * Self.tagsOfPhoto }

  init(links: Int) {
    photos = max(1, links / Self.tagsOfPhoto)
  }

  var title: String { "many-to-many with \(Unit.count(links)) links" }
  var file: String { "photos-\(photos).sqlite" }

  static let model = """
    version: 1
    name: Photos
    entities:
      Album:
        attributes:
          name: String
        relationships:
          photos: {destination: Photo, toMany: true, inverse: album}
      Photo:
        attributes:
          name: String
        relationships:
          album: {destination: Album, inverse: photos}
          tags:
            destination: Tag
            toMany: true
            inverse: photos
            joinTable: {table: photo_tag, column: photo_id, inverseColumn: tag_id}
      Tag:
        attributes:
          name: String
        relationships:
          photos: {destination: Photo, toMany: true, inverse: tags}
    """

  func fill(_ connection: Connection) throws {
    try connection.execute("INSERT INTO album(id, name) VALUES (1, 'Album'), (2, 'Album')")
    let tag = try connection.prepare("INSERT INTO tag(id, name) VALUES (?, ?)")
    for i in 1...Self.tags { try tag.run([.integer(Int64(i)), .text("tag \(i)")]) }
    let photo = try connection.prepare("INSERT INTO photo(id, name, album_id) VALUES (?, ?, ?)")
    let link = try connection.prepare("INSERT INTO photo_tag(photo_id, tag_id) VALUES (?, ?)")
    for i in 0..<photos {
      for album in 1...2 {
        let id = SQLiteValue.integer(Int64(2 * i + album))
        try photo.run([id, .text("Photo \(i)"), .integer(Int64(album))])
        for k in 0..<Self.tagsOfPhoto {
          try link.run([id, .integer(Int64((i + k * 97) % Self.tags + 1))])
        }
      }
    }
  }

  func check(_ checks: StoreChecks) throws {
    try checks.expect("SELECT count(*) FROM photo", 3 * photos)
    try checks.expect("SELECT count(*) FROM photo_tag", 3 * links)
    try checks.expect("SELECT count(*) FROM tag", Self.tags)
    func pairs(of album: Int) -> String {
      """
      SELECT p.name, l.tag_id FROM photo p CROSS JOIN photo_tag l ON l.photo_id = p.id
      WHERE p.album_id = \(album) ORDER BY p.id, l.tag_id
      """
    }
    try checks.expectEqual(pairs(of: 1), pairs(of: 3), rows: links)
  }
}

extension Work {
  static let photosByMoclone = cloneOfFirst("photos-moclone", of: "Album", TaggedPhotos.model)
}
