import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// SQL that finds the objects of a group in the other store, by what identifies them.
struct CopyMatch {
  let layout: CopyLayout
  let keys: CopyKeys
  let group: CopyGroup
  private let parts: [Part]
  let table: CopyTable

  /// One column's worth of identity, on both sides.
  private struct Part {
    var path: IdentityPath
    var source: String
    var target: String
    /// Whether the value lies in the row itself.
    var column: String?
  }

  init(_ group: CopyGroup, _ layout: CopyLayout, _ states: [CopyState]) {
    self.group = group
    self.layout = layout
    keys = CopyKeys(layout: layout, states: states)
    table = layout.tables[group.table]
    parts = group.identity.map { Self.parts($0, layout, CopyKeys(layout: layout, states: states)) } ?? []
  }

  private static func parts(_ identity: Identity, _ layout: CopyLayout, _ keys: CopyKeys) -> [Part] {
    identity.paths.flatMap { path -> [Part] in
      let there = IdentityColumns(path, of: identity.scope, mapping: layout.mapping, alias: "t")
      let here = IdentityColumns(
        path, of: identity.scope, mapping: layout.mapping, alias: "s", table: CopySource.name)
      if path.steps.isEmpty {
        let column = layout.mapping[identity.scope].attributes[path.attribute!.name]!.column
        return [Part(path: path, source: here.values[0], target: there.values[0], column: column)]
      }
      guard path.attribute == nil else {
        return [Part(path: path, source: here.values[0], target: there.values[0], column: nil)]
      }
      let step = path.steps.last!
      let reference = layout.references.first {
        $0.forward?.qualifiedName == step.qualifiedName && path.steps.count == 1
      }
      if let reference {
        let new = keys.reference(reference, "s")
        return new.indices.map {
          Part(path: path, source: new[$0], target: there.values[$0], column: reference.key.columns[$0])
        }
      }
      let destination = layout.tables.first { $0.root == layout.model.rootEntity(of: step.destination) }!
      let new = keys.moved(destination, here.values)
      return new.indices.map { Part(path: path, source: new[$0], target: there.values[$0], column: nil) }
    }
  }

  /// Of a subtree that is cut out only what it is linked to is looked for in the other store.
  private var isOfLinked: Bool { layout.cut != nil && !isFilling }
  private var isFilling = false

  /// The same for all objects, those of a subtree included.
  var ofAll: CopyMatch {
    var match = self
    match.isFilling = true
    return match
  }

  // MARK: Rows of the source

  /// The rows of the group's entities that are copied.
  private func rows(_ more: [String] = []) -> String {
    "FROM \(table.sourceName) s" + condition(more)
  }

  private func condition(_ more: [String] = []) -> String {
    let own = [
      table.kind(of: group.entities, "s", layout.mapping), keys.copied(table, table.key("s")),
      isOfLinked ? CopyCut.isLinked(table, table.key("s")) : nil,
    ]
    let all = own.compactMap { $0 } + more
    return all.isEmpty ? "" : " WHERE " + all.joined(separator: " AND ")
  }

  private var isOpen: String {
    "NOT EXISTS (SELECT 1 FROM \(table.movedName) m WHERE \(SQL.equal(table.old("m"), table.key("s"))))"
  }

  // MARK: Statements

  /// Writes down the objects that nothing identifies; nil where there can be none.
  var skip: String? {
    var empty: [(path: Int, condition: String)] = []
    for part in parts {
      let place = group.identity!.paths.firstIndex(of: part.path)!
      let isRequired = part.column.map {
        table.source.column($0)?.isRequired == true || table.source.isRowid($0)
      }
      if isRequired != true || part.source != part.column.map({ SQL.column("s", $0) }) {
        empty.append((place, "\(part.source) IS NULL"))
      }
      if part.path.attribute?.type == .string || part.path.attribute?.type == .uri {
        empty.append((place, "\(part.source) = ''"))
      }
    }
    guard !empty.isEmpty else { return nil }
    let which = empty.map { "WHEN \($0.condition) THEN \($0.path)" }.joined(separator: " ")
    return "INSERT INTO \(table.skippedName) SELECT \(SQL.list(table.key("s"))), CASE \(which) END "
      + rows(["(" + empty.map(\.condition).joined(separator: " OR ") + ")"])
  }

  /// Makes the identities of the other store searchable, where they do not lie in the rows themselves.
  var preparation: [String] {
    guard isIndirect else { return [] }
    let conditions = table.kind(of: scopeEntities, "t", layout.mapping).map { " WHERE \($0)" } ?? ""
    let values = parts.indices.map { "\(parts[$0].target) AS i\($0)" }
    let key = table.map.keyColumns.map { "\(SQL.column("t", $0)) AS \(SQL.name($0))" }
    let name = "moclone_identity_\(table.index)"
    return [
      "DROP TABLE IF EXISTS \(SQL.temp(name))",
      "CREATE TEMP TABLE \(name) AS SELECT \(SQL.list(values + key)) FROM \(table.targetName) t\(conditions)",
      "CREATE INDEX temp.moclone_by_identity_\(table.index) ON \(name)(\(SQL.list(parts.indices.map { "i\($0)" })))",
    ]
  }

  private var isIndirect: Bool { parts.contains { $0.column == nil } }

  private var scopeEntities: [String] {
    layout.model.concreteEntities(of: group.identity!.scope)
  }

  /// Pairs of objects with one identity: the source's key, the other store's.
  private var pairs: String {
    let there = isIndirect ? SQL.temp("moclone_identity_\(table.index)") : table.targetName
    let ties = parts.enumerated().map { i, part in
      "\(isIndirect ? "t.i\(i)" : part.target) = \(part.source)"
    }
    let kind = isIndirect ? nil : table.kind(of: scopeEntities, "t", layout.mapping)
    return "FROM \(table.sourceName) s CROSS JOIN \(there) t ON "
      + (ties + [kind].compactMap { $0 }).joined(separator: " AND ") + condition()
  }

  /// Writes down the objects that the other store has already.
  var match: String {
    "INSERT INTO \(table.movedName) SELECT \(SQL.list(table.key("s") + table.key("t"))), 0 \(pairs)"
  }

  /// The pairs in an order in which those of one object follow each other.
  var ambiguous: String {
    let key = SQL.list(table.key("s"))
    return
      "SELECT \(SQL.list(table.key("s") + table.key("t"))) \(pairs) ORDER BY \(key), \(SQL.list(table.key("t")))"
  }

  /// Whether the source itself holds no two objects of the group with one identity.
  var isUniqueInSource: Bool {
    guard !isIndirect else { return false }
    let columns = Set(parts.compactMap { $0.column?.sqlName })
    let joins = group.identity!.paths.contains { path in
      guard path.attribute == nil, let step = path.steps.last else { return false }
      return layout.tables.contains {
        $0.root == layout.model.rootEntity(of: step.destination) && keys.states[$0.index].joins
      }
    }
    return !joins
      && table.source.uniqueColumns.contains { Set($0.map(\.sqlName)).isSubset(of: columns) }
  }

  /// Writes down the objects that are the same as an earlier one of the source.
  var join: String {
    let key = table.key("s")[0]
    let first = "min(\(key)) OVER (PARTITION BY \(SQL.list(parts.map(\.source))))"
    return "INSERT INTO \(table.movedName) SELECT k, \(keys.shifted(table, "f")), 0 FROM "
      + "(SELECT \(key) AS k, \(first) AS f \(rows([isOpen]))) WHERE k <> f"
  }

  /// Objects of the source whose identity belongs to an object of another entity there; nil where there can be none.
  var mixed: String? {
    guard let discriminator = table.discriminator, group.entities.count > 1 else { return nil }
    let column = SQL.column("s", discriminator)
    return "SELECT \(SQL.list(table.key("s"))) \(rows([isOpen])) GROUP BY \(SQL.list(parts.map(\.source))) "
      + "HAVING min(\(column)) <> max(\(column))"
  }

  /// An object that has the identity of another one of the source.
  var repeated: String {
    "SELECT \(SQL.list(table.key("s"))) \(rows()) GROUP BY \(SQL.list(parts.map(\.source))) HAVING count(*) > 1"
  }

  /// All of them, each with a number that those of one identity share.
  var allRepeated: String {
    let key = table.key("s").enumerated().map { "\($1) AS k\($0)" }
    let values = SQL.list(parts.map(\.source))
    let keys = table.map.key.indices.map { "k\($0)" }
    return
      "SELECT \(SQL.list(keys)), g FROM (SELECT \(SQL.list(key)), dense_rank() OVER (ORDER BY \(values)) AS g, "
      + "count(*) OVER (PARTITION BY \(values)) AS c \(rows())) WHERE c > 1 ORDER BY \(SQL.list(["g"] + keys))"
  }

  /// Writes down the keys of new objects that consist of references.
  var fill: String {
    let new = table.map.key.map { part -> String in
      guard case .relationship(let name, let place) = part.source,
        let reference = layout.references(in: table).first(where: { $0.forward?.name == name })
      else { return SQL.column("s", part.column) }
      return keys.reference(reference, "s")[place]
    }
    return "INSERT INTO \(table.movedName) SELECT \(SQL.list(table.key("s") + new)), 1 \(rows([isOpen]))"
  }

  /// Makes keys for new objects whose own is taken in the other store.
  func renew(_ storage: UUIDStorage) -> String {
    let form = UUIDStorage.allCases.firstIndex(of: storage)!
    let taken =
      "EXISTS (SELECT 1 FROM \(table.targetName) t WHERE \(SQL.equal(table.key("t"), table.key("s"))))"
    return "INSERT INTO \(table.movedName) SELECT \(table.key("s")[0]), moclone_uuid(:run, \(form)), 1 "
      + rows([isOpen, taken])
  }
}
