import MOCloneEngine
import MOCloneModel
import MOCloneSQL

// The keys of new objects, and the map from every row to the key of its object.
extension ImportWriting {
  /// The object of every row, new ones with the keys that they will have.
  var fillMap: [String] {
    let parts = staged.mapping.key.indices.map { part in
      let new = newKey(part, "s") ?? "NULL"
      return hasIdentity ? "CASE WHEN f.number IS NULL THEN \(new) ELSE f.k\(part) END" : new
    }
    let made = hasIdentity ? "f.number IS NULL" : "1"
    let found = hasIdentity ? " LEFT JOIN temp.\(staged.found) f ON f.number = s.number" : ""
    let first = hasIdentity ? " WHERE s.number NOT IN (SELECT number FROM temp.\(staged.later))" : ""
    let heads =
      "INSERT INTO temp.\(staged.map) SELECT s.number, s.number, \(made), \(SQL.list(parts)) "
      + "FROM temp.\(staged.rows) s\(found)\(keyReferences)\(first) ORDER BY s.number"
    guard hasIdentity else { return [heads] }
    let columns = staged.keyParts.map { "m.\($0)" }
    return [
      heads,
      "INSERT INTO temp.\(staged.map) SELECT l.number, l.first, m.made, \(SQL.list(columns)) "
        + "FROM temp.\(staged.later) l CROSS JOIN temp.\(staged.map) m ON m.number = l.first ORDER BY l.number",
    ]
  }

  /// Whether numbers for keys are counted, in the order of the map.
  var countsKeys: Bool { needsMap && staged.mapping.key.indices.contains { isNumber($0) } }

  /// Whether the key is nothing but a number that is counted.
  var countsEveryKey: Bool {
    countsKeys && staged.mapping.key.count == 1 && !staged.columns.contains { $0.keyPart != nil }
  }

  private func isNumber(_ part: Int) -> Bool {
    switch staged.mapping.key[part].source {
    case .rowid: staged.table.isRowid(staged.mapping.key[part].column)
    case .max, .automatic:
      staged.mapping.key.count == 1 && staged.table.countsKeys(in: staged.mapping.key[part].column)
    default: false
    }
  }

  /// Whether numbers of new keys are not SQLite's own.
  var countsOtherNumbers: Bool {
    staged.mapping.key.indices.contains {
      isNumber($0) && !staged.table.isRowid(staged.mapping.key[$0].column)
    }
  }

  /// A part of a new key; nil where SQLite makes it as it inserts the row.
  func newKey(_ part: Int, _ alias: String) -> String? {
    let given = staged.columns.firstIndex { $0.keyPart == part }.map { "\(alias).a\($0)" }
    switch staged.mapping.key[part].source {
    case .uuid(let storage):
      let made = "moclone_uuid(:run, \(UUIDStorage.allCases.firstIndex(of: storage)!))"
      return given.map { "coalesce(\($0), \(made))" } ?? made
    case .relationship(let name, let column):
      guard let relationship = model.relationship(name, of: staged.entity.name),
        let reference = staged.entity.reference(relationship)
      else { return given }
      return staged.referenced(reference, all[staged.entity.references[reference].destination])[column]
    case .rowid, .max, .automatic:
      guard isNumber(part) else { return given }
      guard needsMap else { return given }
      return given.map { "coalesce(\($0), moclone_number())" } ?? "moclone_number()"
    case .copied, .given: return given
    }
  }

  /// The columns of the key that nothing gives a value.
  var openKey: String? {
    staged.mapping.key.indices.first { newKey($0, "s") == nil && !isNumber($0) }
      .map { staged.mapping.key[$0].column }
  }

  /// The maps that the key's references need.
  private var keyReferences: String {
    staged.mapping.key.contains { if case .relationship = $0.source { true } else { false } }
      ? matching.references("s") : ""
  }
}
