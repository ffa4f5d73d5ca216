import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The statements that find the objects of an import: pure text.
struct ImportMatching {
  let staged: StagedTable
  let all: [StagedTable]
  let model: ObjectModel
  let schema: SchemaMapping

  private var identity: Identity { staged.entity.identity! }
  private var scope: EntityMapping { schema[identity.scope] }

  // MARK: The order of the identity

  /// Orders the rows by their identity, which needs the objects that they are identified by.
  var fillKeys: String {
    let parts = staged.identity.flatMap { part -> [String] in
      if case .reference(let reference, let path, _) = part { values(of: path, reference) } else { [] }
    }
    let columns = ["number"] + staged.content
    let names = staged.identity.flatMap { part -> [String] in
      if case .reference(_, _, let columns) = part { columns } else { [] }
    }
    let order = staged.identity.flatMap { part -> [String] in
      switch part {
      case .attribute(let i): ["s.a\(i)"]
      case .reference(_, _, let columns): columns
      }
    }
    let selected = columns.map { "s.\($0)" } + zip(parts, names).map { "\($0) AS \($1)" }
    return "INSERT INTO temp.\(staged.keys)(\(SQL.list(columns + names))) SELECT \(SQL.list(selected)) "
      + "FROM temp.\(staged.rows) s\(references("s")) ORDER BY \(SQL.list(order + ["s.number"]))"
  }

  /// Counts rows whose identity is empty at the end of a path; none where every part is a value of the row.
  var emptyKeys: String? {
    let parts = staged.identity.flatMap { part -> [String] in
      guard case .reference(let reference, let path, _) = part, path.steps.count > 1 || path.attribute != nil
      else { return [] }
      return values(of: path, reference).map { "coalesce(\($0), '') = ''" }
    }
    guard !parts.isEmpty else { return nil }
    return
      "SELECT s.line, s.number FROM temp.\(staged.rows) s\(references("s")) WHERE \(parts.joined(separator: " OR ")) LIMIT 1"
  }

  /// `LEFT JOIN` of the maps of the entities that rows refer to: `d0`, `d1` and so on.
  func references(_ alias: String) -> String {
    staged.entity.references.enumerated().filter {
      staged.needsMap($0.offset, of: all[$0.element.destination])
    }.map { i, reference in
      " LEFT JOIN temp.\(all[reference.destination].map) d\(i) ON d\(i).number = \(alias).r\(i)"
    }.joined()
  }

  /// What a path leads to from the object of a reference, staged or stored.
  private func values(of path: IdentityPath, _ reference: Int) -> [String] {
    let rest = Array(path.steps.dropFirst())
    let destination = all[staged.entity.references[reference].destination]
    if rest.isEmpty, path.attribute == nil { return staged.referenced(reference, destination) }
    return [value(rest[...], path.attribute, from: destination, "d\(reference)", depth: 0)]
  }

  /// The value at the end of a path, from a row of a map.
  private func value(
    _ steps: ArraySlice<RelationshipDescription>, _ attribute: AttributeDescription?, from place: StagedTable,
    _ map: String, depth: Int
  ) -> String {
    let (row, stored) = ("p\(depth)", "t\(depth)")
    let isKey = SQL.equal(
      place.mapping.keyColumns.map { SQL.column(stored, $0) }, place.keyParts.map { "\(map).\($0)" })
    let made: String
    let path = IdentityPath(steps: Array(steps), attribute: attribute)
    if let step = steps.first {
      if let reference = place.entity.reference(step) {
        let next = all[place.entity.references[reference].destination]
        let isEnd = steps.count == 1 && attribute == nil
        let inner =
          isEnd
          ? "q\(depth).k0" : value(steps.dropFirst(), attribute, from: next, "q\(depth)", depth: depth + 1)
        made =
          "(SELECT \(inner) FROM temp.\(place.rows) \(row) JOIN temp.\(next.map) q\(depth) "
          + "ON q\(depth).number = \(row).r\(reference) WHERE \(row).number = \(map).first)"
      } else {
        made = "NULL"
      }
    } else if let attribute, let staged = place.entity.attribute(attribute.name) {
      made = "(SELECT \(row).a\(staged) FROM temp.\(place.rows) \(row) WHERE \(row).number = \(map).first)"
    } else {
      made = "NULL"
    }
    let columns = IdentityColumns(path, of: place.entity.name, mapping: schema, alias: stored)
    let found = "(SELECT \(columns.values[0]) FROM \(SQL.main(place.mapping.table)) \(stored) WHERE \(isKey))"
    return "CASE WHEN \(map).made THEN \(made) ELSE \(found) END"
  }

  // MARK: Objects

  /// Rows whose identity an earlier row has already.
  var fillLater: String {
    let identity = staged.identityColumns
    let columns = SQL.list(identity)
    let equal = SQL.equal(identity.map { "s.\($0)" }, identity.map { "g.\($0)" })
    return "INSERT INTO temp.\(staged.later) SELECT s.number, g.first "
      + "FROM (SELECT \(columns), min(number) AS first FROM temp.\(staged.keys) GROUP BY \(columns) "
      + "HAVING count(*) > 1) g CROSS JOIN temp.\(staged.keys) s ON \(equal) WHERE s.number <> g.first "
      + "ORDER BY s.number"
  }

  /// Whether there is anything to be found.
  var hasObjects: String { "SELECT EXISTS (SELECT 1 FROM \(SQL.main(scope.table)))" }

  /// The objects that have the identity of a row.
  ///
  /// - Parameter hasIndex: whether the store finds them by an index; else its rows are gone through once.
  func fillFound(hasIndex: Bool) -> String {
    let sources = ["temp.\(staged.keys) s", "\(SQL.main(scope.table)) t"]
    let order = hasIndex ? sources : sources.reversed()
    let isSame = hasIndex ? isSame("s") : isSameCanonical("s")
    return "INSERT INTO temp.\(staged.found) SELECT s.number, 1, "
      + SQL.list(scope.keyColumns.map { SQL.column("t", $0) })
      + " FROM \(order.joined(separator: " CROSS JOIN ")) WHERE \(isSame) AND \(isKind("t")) "
      + "AND s.number NOT IN (SELECT number FROM temp.\(staged.later)) ORDER BY s.number "
      + "ON CONFLICT(number) DO UPDATE SET count = count + 1"
  }

  /// Whether a stored row `t` has the identity of a row, in whatever notation; an index of the store serves.
  private func isSame(_ alias: String) -> String {
    identityConditions { attribute, stored, names in
      attribute?.equal(stored[0], "\(alias).\(names[0])")
        ?? SQL.equal(stored, names.map { "\(alias).\($0)" })
    }
  }

  /// The same for a search that begins at the stored rows; the index of `canonicalIndex` serves.
  private func isSameCanonical(_ alias: String) -> String {
    identityConditions { attribute, stored, names in
      guard let attribute else { return SQL.equal(stored, names.map { "\(alias).\($0)" }) }
      return "\(attribute.canonical(stored[0])) = \(attribute.canonical("\(alias).\(names[0])"))"
    }
  }

  private func identityConditions(
    _ condition: (AttributeColumn?, _ stored: [String], _ names: [String]) -> String
  ) -> String {
    zip(identity.paths, staged.identity).map { path, part in
      let entity = path.steps.last?.destination ?? identity.scope
      let attribute = path.attribute.map { schema[entity].attributes[$0.name]! }
      return IdentityColumns(path, of: identity.scope, mapping: schema, alias: "t").condition {
        condition(attribute, $0, part.names)
      }
    }.joined(separator: " AND ")
  }

  /// An index of the rows by their identity in canonical form; nil where the identity is stored in one notation only.
  var canonicalIndex: String? {
    let columns = zip(identity.paths, staged.identity).flatMap { path, part -> [String] in
      guard let attribute = path.attribute else { return part.names }
      let entity = path.steps.last?.destination ?? identity.scope
      return part.names.map { schema[entity].attributes[attribute.name]!.canonical($0) }
    }
    guard columns != staged.identityColumns else { return nil }
    return "CREATE INDEX temp.\(staged.keys)_canonical ON \(staged.keys)(\(SQL.list(columns)))"
  }

  private func isKind(_ alias: String) -> String {
    kind(of: identity.scope, alias) ?? "1"
  }

  /// What marks the rows of an entity; nil where the table holds nothing else.
  private func kind(of name: String, _ alias: String) -> String? {
    guard let discriminator = schema[name].discriminator, model.rootEntity(of: name) != name else {
      return nil
    }
    let values = model.concreteEntities(of: name).map { SQL.text(schema[$0].discriminator!.value) }
    return "\(SQL.column(alias, discriminator.column)) IN (\(SQL.list(values)))"
  }

  /// Rows for which several objects were found.
  var ambiguous: String { "SELECT number FROM temp.\(staged.found) WHERE count > 1 LIMIT 1" }

  /// Rows for which an object of another sub-entity was found.
  var ofOthers: String? {
    guard let kind = kind(of: identity.entity, "t"), identity.scope != identity.entity else { return nil }
    return "SELECT f.number FROM temp.\(staged.found) f CROSS JOIN \(SQL.main(scope.table)) t ON "
      + SQL.equal(scope.keyColumns.map { SQL.column("t", $0) }, staged.keyParts.map { "f.\($0)" })
      + " WHERE NOT \(kind) LIMIT 1"
  }

  /// The identity of a row, and the keys of the objects that have it.
  var identityOfRow: String {
    "SELECT \(SQL.list(staged.identityColumns)) FROM temp.\(staged.keys) WHERE number = :number"
  }

  var objectsOfRow: String {
    let columns = scope.keyColumns.map { SQL.column("t", $0) }
    let discriminator = scope.discriminator.map { SQL.column("t", $0.column) } ?? "NULL"
    return "SELECT \(SQL.list([discriminator] + columns)) FROM temp.\(staged.keys) s CROSS JOIN "
      + "\(SQL.main(scope.table)) t WHERE s.number = :number AND \(isSame("s")) AND \(isKind("t")) "
      + "ORDER BY \(SQL.list(columns)) LIMIT 11"
  }
}
