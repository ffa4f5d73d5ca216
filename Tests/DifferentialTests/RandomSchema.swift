import GRDB
import MOCloneKit
import MOCloneTesting

/// The tables of a model as other programs make them: keys that are no rowids, AUTOINCREMENT, WITHOUT ROWID,
/// generated columns, columns that the model does not name.
struct RandomSchema {
  private var random: SplitMix64
  private let model: ObjectModel
  private let mapping: SchemaMapping

  init(_ model: ObjectModel, seed: UInt64) {
    random = SplitMix64(seed: seed ^ 0x5C4E_4A00)
    self.model = model
    mapping = SchemaMapping(model)
  }

  mutating func create(in db: Database) throws {
    for statement in try SchemaWriter(model).statements() { try db.execute(sql: varied(statement)) }
  }

  private mutating func varied(_ statement: String) -> String {
    guard statement.hasPrefix("CREATE TABLE") else { return statement }
    let isCounted = mayCount(statement)
    var text = statement
    if isCounted { text = text.replacing("INTEGER PRIMARY KEY", with: integerKey()) }
    let hasRowid = text.contains("INTEGER PRIMARY KEY")
    if random.chance(25) {
      text = adding("\"generated\" TEXT GENERATED ALWAYS AS ('g' || 1) VIRTUAL", to: text)
    }
    if random.chance(25) { text = adding("\"unmapped\" INTEGER", to: text) }
    return !hasRowid && random.chance(30) ? text + " WITHOUT ROWID" : text
  }

  /// Whether the model leaves it to the store what makes the numbers.
  private func mayCount(_ statement: String) -> Bool {
    mapping.entities.values.contains { entity in
      statement.contains("CREATE TABLE \"\(entity.table)\" ") && entity.key.map(\.source) != [.rowid]
    }
  }

  private mutating func integerKey() -> String {
    switch random.number(0...9) {
    case 0: "INT NOT NULL PRIMARY KEY"
    case 1: "INTEGER NOT NULL PRIMARY KEY DESC"
    case 2, 3: "INTEGER PRIMARY KEY AUTOINCREMENT"
    default: "INTEGER PRIMARY KEY"
    }
  }

  private func adding(_ column: String, to table: String) -> String {
    var lines = table.split(separator: "\n").map(String.init)
    lines.insert("  \(column),", at: 1)
    return lines.joined(separator: "\n")
  }
}
