import Foundation
import MOCloneKit

extension Work {
  static let channelsByMoclone = Work("channels-moclone") { input in
    let graph = try SQLiteGraph(path: input.path, model: ObjectModel(yaml: ChannelSet.model))
    try graph.update(
      SyncRequest(entity: "Channel", overwriting: ["baseURL"]), fromFile: ChannelSet.file(of: input.path))
    try graph.close()
  }

  /// The file divided at its commas and line ends, a staging table, and three statements.
  static let channelsBySQL = Work("channels-sql") { input in
    let connection = try Connection(input.path)
    try connection.execute(
      """
      BEGIN IMMEDIATE;
      CREATE TEMP TABLE staging(name TEXT PRIMARY KEY, base_url TEXT, display_name TEXT, position INTEGER) WITHOUT ROWID
      """)
    let insert = try connection.prepare("INSERT INTO staging VALUES (?, ?, ?, ?)")
    let bytes = try Data(contentsOf: URL(fileURLWithPath: ChannelSet.file(of: input.path)))
    for line in bytes.split(separator: 10).dropFirst() {
      let cells = line.split(separator: 44, omittingEmptySubsequences: false)
      try insert.run(cells.map { .text(String(decoding: $0, as: UTF8.self)) })
    }
    try connection.execute(
      """
      UPDATE channel SET base_url = s.base_url FROM staging s
        WHERE s.name = channel.name AND s.base_url IS NOT channel.base_url;
      DELETE FROM channel WHERE NOT EXISTS (SELECT 1 FROM staging s WHERE s.name = channel.name);
      INSERT INTO channel(name, base_url, display_name, position)
        SELECT name, base_url, display_name, position FROM staging s
        WHERE NOT EXISTS (SELECT 1 FROM channel c WHERE c.name = s.name);
      COMMIT
      """)
  }
}
