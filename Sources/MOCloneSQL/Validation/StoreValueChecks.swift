import MOCloneEngine
import MOCloneModel

/// Stored values that nobody can read.
extension StoreRows {
  /// UUIDs, dates and decimals in another form than the model says, and what is no text where strings are expected; other
  /// types take what a column holds.
  ///
  /// Reads the columns row by row; those whose type leaves nothing else are passed over.
  package func malformedValues() throws -> [Diagnostic] {
    try validator.attributes.filter(isFree).compactMap { stored in
      let found = try malformed(stored)
      return found.count == 0 ? nil : .malformedValue(stored, count: found.count, first: found.first)
    }
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

extension Diagnostic {
  fileprivate static func malformedValue(
    _ stored: StoreValidator.StoredAttribute, count: Int, first: [String]
  ) -> Diagnostic {
    Diagnostic(
      .malformedValue, at: .attribute(stored.attribute),
      "\(count) value\(count == 1 ? "" : "s") of the column '\(stored.use.column)' in '\(stored.table.name)' cannot be read as "
        + "\(stored.attribute.type.rawValue)\(stored.attribute.type.expectation): "
        + first.joined(separator: "; ") + (count > first.count ? "; ..." : ""),
      help: stored.attribute.type == .string
        ? "write them as text, or leave the attribute out, so that clones copy the column as it is"
        : "correct these rows, or name the form that they have by 'storage:' or 'store:'")
  }
}
