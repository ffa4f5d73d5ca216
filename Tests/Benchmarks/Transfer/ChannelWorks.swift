import Foundation
import MOCloneKit

extension Work {
  static let channelsByMoclone = Work("channels-moclone") { input in
    let graph = try SQLiteGraph(path: input.path, model: ObjectModel(yaml: ChannelSet.model))
    try graph.sync(
      SyncRequest(entity: "Channel", overwriting: ["baseURL"]), fromFile: ChannelSet.file(of: input.path))
    try graph.close()
  }

  /// The `sqlite3` shell: a staging table filled by `.import`, and three statements.
  static let channelsBySQL = Work("channels-sql") { input in
    _ = try Child(
      "/usr/bin/env",
      [
        "sqlite3", input.path, "PRAGMA foreign_keys = ON; PRAGMA temp_store = MEMORY",
        """
        CREATE TEMP TABLE staging(name TEXT PRIMARY KEY, base_url TEXT, display_name TEXT, position INTEGER) WITHOUT ROWID
        """,
        ".import --csv --skip 1 --schema temp \(ChannelSet.file(of: input.path)) staging",
        """
        BEGIN IMMEDIATE;
        UPDATE channel SET base_url = s.base_url FROM staging s
          WHERE s.name = channel.name AND s.base_url IS NOT channel.base_url;
        DELETE FROM channel WHERE NOT EXISTS (SELECT 1 FROM staging s WHERE s.name = channel.name);
        INSERT INTO channel(name, base_url, display_name, position)
          SELECT name, base_url, display_name, position FROM staging s
          WHERE NOT EXISTS (SELECT 1 FROM channel c WHERE c.name = s.name);
        COMMIT
        """,
      ])
  }
}
