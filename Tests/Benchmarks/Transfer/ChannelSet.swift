import Foundation

/// A store of channels, and a file of the full set in which one in a hundred is new, one has another address and one is
/// gone.
struct ChannelSet {
  let count: Int

  var store: String { "channels-\(count).sqlite" }

  /// The file beside a store or beside a copy of it.
  static func file(of store: String) -> String {
    let plain = store.hasSuffix(".copy") ? String(store.dropLast(5)) : store
    return plain + ".csv"
  }

  static let model = """
    version: 1
    name: Radio
    entities:
      Channel:
        attributes:
          name: String
          baseURL: String
          displayName: String?
          position: Integer 32
        uniquenessConstraints: [[name]]
    """

  private func name(_ i: Int) -> String { "channel " + String(10_000_000 + i) }

  func make(at path: String) throws {
    let connection = try Connection(path)
    try connection.execute("PRAGMA journal_mode = WAL; BEGIN")
    try connection.makeTables(Self.model)
    let insert = try connection.prepare(
      "INSERT INTO channel(id, name, base_url, display_name, position) VALUES (?, ?, ?, ?, ?)")
    for i in 0..<count {
      try insert.run([
        .integer(Int64(i + 1)), .text(name(i)), .text("https://example.org/\(i)"), .text("Channel \(i)"),
        .integer(Int64(i % 1000)),
      ])
    }
    try connection.execute("COMMIT; PRAGMA wal_checkpoint(TRUNCATE)")
    try writeFile(Self.file(of: path))
  }

  private func writeFile(_ path: String) throws {
    var text = "name,baseURL,displayName,position\n"
    for i in 0..<count + count / 100 where i % 100 != 1 || i >= count {
      let address = i % 100 == 2 && i < count ? "https://example.com/\(i)" : "https://example.org/\(i)"
      text += "\(name(i)),\(address),Shown \(i),\(i % 1000)\n"
    }
    try text.write(toFile: path, atomically: true, encoding: .utf8)
  }

  /// Looks whether a store holds what it must hold afterwards.
  func check(_ path: String, _ name: String) throws {
    let checks = try StoreChecks(path, of: name)
    let each = count / 100
    try checks.expect("SELECT count(*) FROM channel", count)
    try checks.expect("SELECT count(*) FROM channel WHERE id <= \(count) AND (id - 1) % 100 = 1", 0)
    try checks.expect("SELECT count(*) FROM channel WHERE base_url LIKE 'https://example.com/%'", each)
    try checks.expect("SELECT count(*) FROM channel WHERE display_name LIKE 'Shown %'", each)
    try checks.expect(
      "SELECT count(*) FROM channel WHERE base_url LIKE '%/' || (substr(name, 9) - 10000000)", count)
  }
}
