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

  /// One column's worth of identity, on both sides in the form that equal values share.
  private struct Part {
    var path: IdentityPath
    var source: String
    var target: String
    /// How the column of the other store is declared.
    var schema: ColumnSchema?
    /// Where an attribute is compared: how.
    var attribute: AttributeColumn?
    /// Whether the value lies in the row itself.
    var column: String?

    /// What the source holds, as it is written.
    var plain: String { column.map { SQL.column("s", $0) } ?? source }
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
      if let attribute = path.attribute {
        let entity = path.steps.last?.destination ?? identity.scope
        let mapped = layout.mapping[entity].attributes[attribute.name]!
        return [
          Part(
            path: path, source: mapped.canonical(here.values[0]), target: mapped.canonical(there.values[0]),
            schema: layout.table(of: entity).target.column(mapped.column), attribute: mapped,
            column: path.steps.isEmpty ? mapped.column : nil)
        ]
      }
      let step = path.steps.last!
      let destination = layout.table(of: step.destination)
      let reference = layout.references.first {
        $0.forward?.qualifiedName == step.qualifiedName && path.steps.count == 1
      }
      let new = reference.map { keys.reference($0, "s") } ?? keys.moved(destination, here.values)
      return new.indices.map { i in
        let referenced = reference.map { $0.key.references[i] } ?? destination.map.keyColumns[i]
        return Part(
          path: path, source: new[i], target: there.values[i],
          schema: destination.target.column(referenced), column: reference?.key.columns[i])
      }
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
  private var rows: SourceRows {
    keys.rows(table).and(
      table.kind(of: group.entities, "s", layout.mapping),
      isOfLinked ? CopyCut.isLinked(table, table.key("s")) : nil)
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
      // A UUID has no other value that stands for nothing.
      let source = part.attribute?.type == .uuid ? part.plain : part.source
      if isRequired != true || source != part.plain { empty.append((place, "\(source) IS NULL")) }
      if part.path.attribute?.type == .string || part.path.attribute?.type == .uri {
        empty.append((place, "\(part.source) = ''"))
      }
    }
    guard !empty.isEmpty else { return nil }
    let which = empty.map { "WHEN \($0.condition) THEN \($0.path)" }.joined(separator: " ")
    return "INSERT INTO \(table.skippedName) SELECT \(SQL.list(table.key("s"))), CASE \(which) END "
      + rows.and("(" + empty.map(\.condition).joined(separator: " OR ") + ")").sql
  }

  /// Makes the identities of the other store searchable, where they do not lie in the rows themselves.
  var preparation: [String] {
    guard isIndirect else { return [] }
    let conditions = table.kind(of: scopeEntities, "t", layout.mapping).map { " WHERE \($0)" } ?? ""
    let columns = parts.enumerated().map { i, part in
      let declared = part.attribute?.hasNotations == true ? nil : part.schema
      return "i\(i)" + (declared.map { " \($0.affinity) COLLATE \(SQL.name($0.collation))" } ?? "")
    }
    let own = table.map.keyColumns.map(SQL.name)
    let name = "moclone_identity_\(table.index)"
    return [
      "DROP TABLE IF EXISTS \(SQL.temp(name))",
      "CREATE TEMP TABLE \(name)(\(SQL.list(columns + own)))",
      "INSERT INTO \(SQL.temp(name)) SELECT \(SQL.list(parts.map(\.target) + table.key("t"))) "
        + "FROM \(table.targetName) t\(conditions)",
      "CREATE INDEX temp.moclone_by_identity_\(table.index) ON \(name)(\(SQL.list(parts.indices.map { "i\($0)" })))",
    ]
  }

  private var isIndirect: Bool {
    parts.contains { part in
      guard let column = part.column else { return true }
      guard let attribute = part.attribute, attribute.hasNotations else { return false }
      return !attribute.isFoundByIndex || !table.target.hasIndex([column])
    }
  }

  private var scopeEntities: [String] {
    layout.model.concreteEntities(of: group.identity!.scope)
  }

  /// Pairs of objects with one identity: the source's key, the other store's.
  private var pairs: String {
    let there = isIndirect ? SQL.temp("moclone_identity_\(table.index)") : table.targetName
    let ties = parts.enumerated().map { i, part -> String in
      if isIndirect { return "t.i\(i) = \(part.source)" }
      let there = part.column.map { SQL.column("t", $0) } ?? part.target
      return part.attribute?.equal(there, part.plain) ?? "\(there) = \(part.source)"
    }
    let kind = isIndirect ? nil : table.kind(of: scopeEntities, "t", layout.mapping)
    return rows.joined("\(there) t", on: (ties + [kind].compactMap { $0 }).joined(separator: " AND ")).sql
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

  /// Whether the source holds values of an identity in several notations, so that its own indexes do not tell.
  var mixesNotations: String? {
    let mixed = parts.compactMap { part in
      part.column.flatMap { _ in part.attribute?.mixesNotations(part.plain, in: rows.sql) }
    }
    return mixed.isEmpty ? nil : "SELECT " + mixed.joined(separator: " OR ")
  }

  /// Writes down the objects that are the same as an earlier one of the source.
  var join: String {
    let key = table.key("s")[0]
    let first = "min(\(key)) OVER (PARTITION BY \(SQL.list(parts.map(\.source))))"
    return "INSERT INTO \(table.movedName) SELECT k, \(keys.shifted(table, "f")), 0 FROM "
      + "(SELECT \(key) AS k, \(first) AS f \(rows.and(isOpen).sql)) WHERE k <> f"
  }

  /// Objects of the source whose identity belongs to an object of another entity there; nil where there can be none.
  var mixed: String? {
    guard let discriminator = table.discriminator, group.entities.count > 1 else { return nil }
    let column = SQL.column("s", discriminator)
    return
      "SELECT \(SQL.list(table.key("s"))) \(rows.and(isOpen).sql) GROUP BY \(SQL.list(parts.map(\.source))) "
      + "HAVING min(\(column)) <> max(\(column))"
  }

  /// An object that has the identity of another one of the source.
  var repeated: String {
    "SELECT \(SQL.list(table.key("s"))) \(rows.sql) GROUP BY \(SQL.list(parts.map(\.source))) HAVING count(*) > 1"
  }

  /// All of them, each with a number that those of one identity share.
  var allRepeated: String {
    let key = table.key("s").enumerated().map { "\($1) AS k\($0)" }
    let values = SQL.list(parts.map(\.source))
    let keys = table.map.key.indices.map { "k\($0)" }
    return
      "SELECT \(SQL.list(keys)), g FROM (SELECT \(SQL.list(key)), dense_rank() OVER (ORDER BY \(values)) AS g, "
      + "count(*) OVER (PARTITION BY \(values)) AS c \(rows.sql)) WHERE c > 1 ORDER BY \(SQL.list(["g"] + keys))"
  }

  /// Writes down the keys of new objects that consist of references.
  var fill: String {
    let new = table.map.key.map { part -> String in
      guard case .relationship(let name, let place) = part.source,
        let reference = layout.references(in: table).first(where: { $0.forward?.name == name })
      else { return SQL.column("s", part.column) }
      return keys.reference(reference, "s")[place]
    }
    return
      "INSERT INTO \(table.movedName) SELECT \(SQL.list(table.key("s") + new)), 1 \(rows.and(isOpen).sql)"
  }

  /// Makes keys for new objects whose own is taken in the other store.
  func renew(_ storage: UUIDStorage) -> String {
    let form = UUIDStorage.allCases.firstIndex(of: storage)!
    let taken =
      "EXISTS (SELECT 1 FROM \(table.targetName) t WHERE \(SQL.equal(table.key("t"), table.key("s"))))"
    return "INSERT INTO \(table.movedName) SELECT \(table.key("s")[0]), moclone_uuid(:run, \(form)), 1 "
      + rows.and(isOpen, taken).sql
  }
}
