import GRDB
import MOCloneKit
import MOCloneTesting
import TestSupport

/// What a store of several tenants holds, by names: keys mean nothing.
struct TenantContents: Equatable {
  struct Item: Equatable {
    var weight: Int?
    /// The name of a shelf; a question mark where there is no such shelf.
    var shelf: String?
  }

  /// By the tenant's name.
  var shelves: [String: Set<String>] = [:]
  var items: [String: [String: Item]] = [:]

  var lines: [String] {
    shelves.flatMap { tenant, names in ["\(tenant): \(names.sorted())"] }.sorted()
      + items.flatMap { tenant, items in
        items.map { "\(tenant) \($0): \($1.weight.map(String.init) ?? "-") on \($1.shelf ?? "-")" }
      }.sorted()
  }
}

/// The key columns of a model of tenants: every reference holds the tenant, too.
struct TenantModel {
  enum Numbers: String, CaseIterable { case max, uuid }
  enum Form: String, CaseIterable { case text, lowercaseText, blob, compactText }

  let numbers: Numbers
  let hasUUIDs: Bool
  /// How the model says that UUIDs are written.
  let form: Form
  let model: ObjectModel

  init(_ random: inout SplitMix64) throws {
    numbers = random.pick(Numbers.allCases)
    hasUUIDs = random.chance(50)
    form = random.pick(Form.allCases)
    model = try ObjectModel(
      yaml: "version: 1\nname: Tenants\n"
        + SharedModel.tenants(
          uuids: form.rawValue, tenant: hasUUIDs ? "uuid" : "max", number: numbers.rawValue,
          attributes: ", weight: Integer 64?"))
  }
}

/// A store of tenants that another program made, in one form of keys.
struct TenantStore {
  let queue: DatabaseQueue
  let model: TenantModel
  let form: TenantModel.Form
  /// What tells the keys of this store from another one's.
  private let letter: Int
  private let enforces: Bool

  init(_ model: TenantModel, _ letter: Int, doubles: Bool = false, _ random: inout SplitMix64) throws {
    self.model = model
    self.letter = letter
    form = random.pick(TenantModel.Form.allCases)
    enforces = random.chance(50)
    var configuration = Configuration()
    configuration.foreignKeysEnabled = enforces
    queue = try DatabaseQueue(configuration: configuration)
    let statements = tables + rows(doubles, &random)
    try queue.write { db in for statement in statements { try db.execute(sql: statement) } }
  }

  var graph: SQLiteGraph { SQLiteGraph(queue, model: model.model) }

  private var tables: [String] {
    let key = model.hasUUIDs ? "" : "INTEGER"
    let number = model.numbers == .uuid ? "" : "INTEGER"
    return [
      "CREATE TABLE tenant(id \(key) NOT NULL PRIMARY KEY, name TEXT)",
      """
      CREATE TABLE shelf(tenant_id \(key) NOT NULL REFERENCES tenant(id), number \(number) NOT NULL, name TEXT,
        PRIMARY KEY(tenant_id, number))
      """,
      """
      CREATE TABLE item(tenant_id \(key) NOT NULL REFERENCES tenant(id), number \(number) NOT NULL, shelf_number \(number),
        name TEXT, weight INTEGER, PRIMARY KEY(tenant_id, number)
        \(enforces ? ", FOREIGN KEY(tenant_id, shelf_number) REFERENCES shelf(tenant_id, number)" : "")) WITHOUT ROWID
      """,
    ]
  }

  private func uuid(_ number: Int) -> String {
    let text = "A000000\(letter)-0000-4000-8000-0000000000\(number + 10)"
    switch form {
    case .text: return "'\(text)'"
    case .lowercaseText: return "'\(text.lowercased())'"
    case .blob: return "x'\(text.replacing("-", with: ""))'"
    case .compactText: return "'\(text.lowercased().replacing("-", with: ""))'"
    }
  }

  private func key(_ tenant: Int) -> String { model.hasUUIDs ? uuid(tenant) : "\(letter + tenant)" }
  private func number(_ number: Int) -> String { model.numbers == .uuid ? uuid(number) : "\(number)" }

  private func rows(_ doubles: Bool, _ random: inout SplitMix64) -> [String] {
    var statements: [String] = []
    for (tenant, name) in ["Alma", "Berg", "Cove", "Dune"].enumerated() where random.chance(60) {
      statements.append("INSERT INTO tenant VALUES (\(key(tenant)), '\(name)')")
      var shelves: [Int] = []
      for shelf in (1...4).shuffled(using: &random) where random.chance(60) {
        shelves.append(shelf)
        let name = doubles ? "shelf \(shelf % 2)" : "shelf \((shelf + letter) % 4)"
        statements.append("INSERT INTO shelf VALUES (\(key(tenant)), \(number(shelf)), '\(name)')")
      }
      for item in (1...5).shuffled(using: &random) where random.chance(70) {
        var shelf = shelves.isEmpty || random.chance(25) ? "NULL" : number(random.pick(shelves))
        if !enforces, random.chance(8) { shelf = number(77) }
        statements.append(
          "INSERT INTO item VALUES (\(key(tenant)), \(number(item * 3)), \(shelf), 'item \((item + letter) % 6)', "
            + "\(random.pick(["NULL", "1", "2", "3"])))")
      }
    }
    return statements
  }

  func contents() throws -> TenantContents {
    try queue.read { db in
      var contents = TenantContents()
      for name in try String.fetchAll(db, sql: "SELECT name FROM tenant") {
        contents.shelves[name] = []
        contents.items[name] = [:]
      }
      for row in try Row.fetchAll(
        db, sql: "SELECT t.name, s.name FROM shelf s JOIN tenant t ON t.id = s.tenant_id")
      {
        contents.shelves[row[0], default: []].insert(row[1])
      }
      let items = """
        SELECT t.name, i.name, i.weight, coalesce(s.name, CASE WHEN i.shelf_number IS NOT NULL THEN '?' END) FROM item i
        JOIN tenant t ON t.id = i.tenant_id LEFT JOIN shelf s ON s.tenant_id = i.tenant_id AND s.number = i.shelf_number
        """
      for row in try Row.fetchAll(db, sql: items) {
        contents.items[row[0], default: [:]][row[1]] = TenantContents.Item(weight: row[2], shelf: row[3])
      }
      return contents
    }
  }

  /// How many rows each table has, and whether all of them belong to somebody.
  func counts() throws -> [Int] {
    try queue.read { db in
      try ["tenant", "shelf", "item"].map { try Int.fetchOne(db, sql: "SELECT count(*) FROM \($0)")! }
        + [Row.fetchAll(db, sql: "PRAGMA foreign_key_check").count]
    }
  }
}

extension TenantContents {
  /// How many rows tables with these objects have.
  var counts: [Int] {
    [shelves.count, shelves.values.reduce(0) { $0 + $1.count }, items.values.reduce(0) { $0 + $1.count }, 0]
  }

  /// References to no shelf arrive as null.
  var withoutMissing: TenantContents {
    var result = self
    result.items = items.mapValues {
      $0.mapValues { Item(weight: $0.weight, shelf: $0.shelf == "?" ? nil : $0.shelf) }
    }
    return result
  }

  /// What a copy of another store adds.
  func adding(_ source: TenantContents, overwrites: Bool) -> TenantContents {
    var result = self
    for (tenant, shelves) in source.withoutMissing.shelves {
      result.shelves[tenant, default: []].formUnion(shelves)
    }
    for (tenant, items) in source.withoutMissing.items {
      for (name, item) in items {
        guard var own = self.items[tenant]?[name] else {
          result.items[tenant, default: [:]][name] = item
          continue
        }
        if own.shelf == nil || overwrites { own.shelf = item.shelf }
        result.items[tenant]![name] = own
      }
    }
    return result
  }
}
