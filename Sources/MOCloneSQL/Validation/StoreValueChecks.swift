import MOCloneEngine
import MOCloneModel

/// Stored values that nobody can read.
extension StoreRows {
  /// UUIDs, dates and decimals that are none in the form that the model says, and what is no text where strings are
  /// expected; other types take what a column holds. Then UUIDs that can be read, but mostly have another form than new ones.
  ///
  /// Reads the columns row by row; those whose type leaves nothing else are passed over.
  package func malformedValues() throws -> [Diagnostic] {
    try validator.attributes.filter(isFree).compactMap { stored -> Diagnostic? in
      let found = try malformed(stored)
      return found.count == 0 ? nil : .malformedValue(stored, count: found.count, first: found.first)
    } + otherUUIDs()
  }

  /// Whether a column takes more than the values of its attribute.
  private func isFree(_ stored: StoreValidator.StoredAttribute) -> Bool {
    switch stored.attribute.type {
    case .uuid, .date, .decimal:
      var column = stored.use
      column.base = stored.column.base
      return !db.dialect.hasTypes || db.dialect.hasNotations(column)
    // Such a column keeps a number as it is; keys are compared whatever they are, and other types are another finding.
    case .string:
      return !db.dialect.hasTypes && stored.column.affinity == "BLOB" && stored.use.keyPart == nil
    default: return false
    }
  }

  /// How many values are malformed, and the first of them with their keys.
  private func malformed(_ stored: StoreValidator.StoredAttribute) throws -> (count: Int, first: [String]) {
    let coding = ValueCoding(stored.use)
    let key = stored.table.primaryKey
    let column = db.dialect.name(stored.use.column)
    let columns = key.map(db.dialect.name) + [column]
    var (count, first): (Int, [String]) = (0, [])
    try db.stream(
      "SELECT \(columns.list) FROM \(db.dialect.table(stored.table.name)) WHERE \(column) IS NOT NULL"
    ) { values in
      guard let value = values.last, coding.decode(value) == nil else { return }
      count += 1
      guard first.count < 3 else { return }
      let place = zip(key, values).map { "\($0) \(db.dialect.literal($1))" }.joined(separator: ", ")
      first.append("\(db.dialect.literal(value).shortened)\(place.isEmpty ? "" : " in \(place)")")
    }
    return (count, first)
  }
}

/// A column in which new UUIDs have the form that the model says.
private struct UUIDColumn {
  var path: ModelPath
  var table: TableSchema
  var column: ColumnSchema
  var form: UUIDStorage
  /// Whether an attribute, which can say the form of the column alone, is in it.
  var isAttribute: Bool
}

/// UUIDs in another form than the model says.
extension StoreRows {
  /// Columns in which most UUIDs have another form than new ones; reads the first of them.
  fileprivate func otherUUIDs() throws -> [Diagnostic] {
    try uuidColumns.compactMap { stored -> Diagnostic? in
      guard let found = try otherForm(of: stored) else { return nil }
      return .otherUUIDs(stored, form: found.form, count: found.count, of: found.total)
    }
  }

  private var uuidColumns: [UUIDColumn] {
    let all = validator.attributes.filter { $0.attribute.type == .uuid }
    let attributes = all.filter { $0.use.keyPart == nil }.map {
      UUIDColumn(
        path: .attribute($0.attribute), table: $0.table, column: $0.column, form: $0.use.uuids,
        isAttribute: true)
    }
    let keys = validator.homes.flatMap { root, table in
      validator.mapping[root.name].key.compactMap { part -> UUIDColumn? in
        guard case .uuid(let form) = part.source, let column = table.column(part.column),
          Self.builtIn.contains(column.collation.uppercased())
        else { return nil }
        let isAttribute = all.contains { $0.table.name == table.name && $0.column.name == column.name }
        return UUIDColumn(
          path: .entity(root.name) / "primaryKey", table: table, column: column, form: form,
          isAttribute: isAttribute)
      }
    }
    // A type of its own has its own form.
    return (attributes + keys).filter { !db.dialect.hasTypes || $0.form.isWritten(in: $0.column.base) }
  }

  /// What sorts a key that can be read without the app; in other orders are no UUIDs.
  private static var builtIn: [String] { ["BINARY", "NOCASE", "RTRIM"] }

  /// The form that more than half of the values have, and how many; nil where that is the model's.
  private func otherForm(of stored: UUIDColumn) throws -> (form: UUIDStorage, count: Int, total: Int)? {
    let forms = [stored.form] + UUIDStorage.allCases.filter { $0 != stored.form }
    let codings = forms.map { ValueCoding(type: .uuid, form: .uuid($0)) }
    let column = db.dialect.name(stored.column.name)
    var counts = Array(repeating: 0, count: forms.count)
    var total = 0
    // What most of so many write, most of them all write.
    let looked = Select([column], from: From(db.dialect.table(stored.table.name)))
      .where(.isNotNull(column)).limited(to: 10_000)
    try db.stream(looked.text(db.dialect)) { values in
      total += 1
      let place = codings.firstIndex { coding in
        coding.decode(values[0]).map { coding.encode($0) == values[0] } ?? false
      }
      if let place { counts[place] += 1 }
    }
    guard let place = counts.indices.dropFirst().first(where: { counts[$0] * 2 > total }) else { return nil }
    return (forms[place], counts[place], total)
  }
}

extension Diagnostic {
  fileprivate static func otherUUIDs(
    _ stored: UUIDColumn, form: UUIDStorage, count: Int, of total: Int
  ) -> Diagnostic {
    Diagnostic(
      .malformedValue, at: stored.path,
      (total == 1 ? "the value" : "\(count) of the first \(total) values")
        + " of the column '\(stored.column.name)' in '\(stored.table.name)' "
        + "\(count == 1 ? "is a UUID" : "are UUIDs") in the form '\(form.rawValue)', but new ones would have the form "
        + "'\(stored.form.rawValue)'",
      help: "write 'uuids: \(form.rawValue)' under 'store' where all have that form, or else "
        + (stored.isAttribute
          ? "'storage: \(form.rawValue)' at the attribute"
          : "make the column an attribute with 'type: UUID' and 'storage: \(form.rawValue)'"))
  }

  fileprivate static func malformedValue(
    _ stored: StoreValidator.StoredAttribute, count: Int, first: [String]
  ) -> Diagnostic {
    Diagnostic(
      .malformedValue, at: .attribute(stored.attribute),
      "\(count.counting("value")) of the column '\(stored.use.column)' in '\(stored.table.name)' cannot be read as "
        + "\(stored.attribute.type.rawValue)\(stored.attribute.type.expectation): "
        + first.joined(separator: "; ") + (count > first.count ? "; ..." : ""),
      help: stored.attribute.type == .string
        ? "write them as text, or leave the attribute out, so that clones copy the column as it is"
        : "correct these rows, or name the form that they have by 'storage:' or 'store:'")
  }
}
