import MOCloneModel
import MOCloneSQL

/// A polymorphic reference: one column holds a key, and another one names the table that the key belongs to, such as
/// `commentable_id` and `commentable_type`.
struct PolymorphicPair {
  var typeColumn: String
  var keyColumn: String
  /// The table that each value of the type column names.
  var targets: [Target]
  /// The words that the names of both columns have in common.
  var role: NameWords

  struct Target {
    var value: String
    /// The target, or nil if no row of that type has a key.
    var table: String?
    /// The columns that hold the key of the target, in its order: the key column, and columns that both tables share, such
    /// as that of a tenant.
    var columns: [String]
  }

  /// The sentence that says why both columns stay attributes.
  static func comment(type: String, key: String, because reason: String) -> String {
    "'\(type)' and '\(key)' look like a reference to several tables; \(reason), so the columns stay attributes: clones and "
      + "copies keep these keys as they are, whatever row has them in the target."
  }

  /// The words for one object of a type: `App\Models\Post`, `blog.Post` and `posts` all name a post.
  static func kind(_ type: String) -> NameWords {
    NameWords(type.split { "\\.:/".contains($0) }.last.map(String.init) ?? type).singular
  }
}

/// Finds polymorphic references by the names of columns and the values of rows.
struct PolymorphicPairs {
  let db: any SQLConnection
  let contents: DatabaseContents
  let references: TableReferences
  let entities: EntityNames
  static let mostTypes = 50

  /// The first polymorphic reference of a table that holds for every row, and for each other candidate a sentence that says
  /// why the model leaves it out.
  func pair(of table: DatabaseTable) throws -> (pair: PolymorphicPair?, reasons: [String]) {
    var first: PolymorphicPair?
    var reasons = genericKeys(of: table)
    for column in table.schema.columns where !column.isGenerated {
      let words = NameWords(column.name)
      guard words.words.count > 1, words.key.last == "type", !references.hold(column.name, of: table),
        let key = keyColumn(words.dropping(last: 1), in: table)
      else { continue }
      let (pair, reason) = try pair(column.name, key, in: table, words.dropping(last: 1))
      if let pair, first == nil {
        first = pair
      } else if let reason = pair == nil ? reason : "an entity has one discriminator, that of another column"
      {
        reasons.append(PolymorphicPair.comment(type: column.name, key: key, because: reason))
      }
    }
    return (first, reasons)
  }

  /// The sentences about keys of Django whose table is named in a row of `django_content_type`, not in a column.
  private func genericKeys(of table: DatabaseTable) -> [String] {
    guard let type = references.of(table.id).first(where: { $0.target == "django_content_type" }),
      let key = table.schema.column("object_id")?.name, !references.hold(key, of: table)
    else { return [] }
    return [
      "'\(key)' is a key of the table that '\(type.columns[0])' means, which no model can express: clones and copies "
        + "keep it as it is, whatever row has it in the target."
    ]
  }

  private func keyColumn(_ role: NameWords, in table: DatabaseTable) -> String? {
    let names = ["id", "uuid", "key"].map { role.key + [$0] }
    return table.schema.columns.first { column in
      names.contains(NameWords(column.name).key) && !column.isGenerated
        && !references.hold(column.name, of: table)
        && !table.isInKey(column.name)
    }?.name
  }

  private func pair(
    _ typeColumn: String, _ keyColumn: String, in table: DatabaseTable, _ role: NameWords
  ) throws -> (PolymorphicPair?, String?) {
    let types = table.values(of: typeColumn)
    if types.classes.isEmpty || types.classes == ["blob"] { return (nil, nil) }
    guard types.classes == ["text"], !types.hasNull else {
      return (nil, "some rows have no type, and no sub-entity can stand for them")
    }
    let values = try TableSurvey(db: db, table: table.schema).strings(typeColumn, most: Self.mostTypes + 1)
    let meant = values.map { (value: $0, table: target(of: $0)) }
    if meant.allSatisfy({ $0.table == nil }) { return (nil, nil) }
    let targets = meant.map { value, target in
      PolymorphicPair.Target(
        value: value, table: target?.id, columns: target.map { columns(keyColumn, to: $0, in: table) } ?? [])
    }
    if let far = zip(meant, targets).first(where: { $0.table != nil && $1.columns.isEmpty })?.0.table {
      return (nil, "'\(keyColumn)' is not the whole key of '\(far.schema.name)'")
    }
    let pair = PolymorphicPair(typeColumn: typeColumn, keyColumn: keyColumn, targets: targets, role: role)
    let unknown = targets.first { $0.table == nil && !isWithoutKeys(pair, type: $0.value, in: table) }
    guard unknown == nil, values.count <= Self.mostTypes else {
      return (nil, unknown.map { "no table is meant by '\($0.value)'" } ?? "it has too many types")
    }
    guard targets.allSatisfy({ $0.table == nil || holds(pair, target: $0, in: table) }) else {
      return (nil, "not all of its keys are found")
    }
    return (pair, nil)
  }

  /// Whether the rows of a type that names no table have no key, so that their sub-entity needs no relationship.
  private func isWithoutKeys(_ pair: PolymorphicPair, type: String, in table: DatabaseTable) -> Bool {
    let dialect = db.dialect
    let keyed = db.answer(
      "SELECT count(*) FROM (SELECT \(dialect.name(pair.typeColumn)) AS t, \(dialect.name(pair.keyColumn)) AS k "
        + "FROM \(dialect.table(table.schema.name)) LIMIT \(TableSurvey.mostRows)) r "
        + "WHERE t = \(dialect.text(type)) AND k IS NOT NULL")
    return keyed?[0].number == 0 && !NameWords(type).isEmpty
  }

  /// The table that the name of a class means; nil if there is none, or several.
  private func target(of value: String) -> DatabaseTable? {
    let words = PolymorphicPair.kind(value).key
    let found = contents.tables.filter { entities.one($0.id).key == words && !$0.key.isEmpty }
    return found.count == 1 && !entities[found[0].id].isEmpty ? found[0] : nil
  }

  /// The columns that hold the key of a target, in its order; empty if the key column and the shared columns do not make up
  /// the whole key.
  private func columns(
    _ keyColumn: String, to target: DatabaseTable, in table: DatabaseTable
  ) -> [String] {
    guard target.key.count > 1 else { return [keyColumn] }
    let columns = target.key.map { shared($0, by: target, and: table) ?? keyColumn }
    return columns.contains(keyColumn) && columns.names.count == columns.count ? columns : []
  }

  /// The column of a table that has the same name as a part of the key of another table and references the same table.
  private func shared(_ part: String, by target: DatabaseTable, and table: DatabaseTable) -> String? {
    let owners = references.of(target.id).filter { $0.holds(part) }.map(\.target)
    let isShared = references.of(table.id).contains { $0.holds(part) && owners.contains($0.target) }
    return isShared ? table.schema.column(part)?.name : nil
  }

  private func holds(
    _ pair: PolymorphicPair, target: PolymorphicPair.Target, in table: DatabaseTable
  ) -> Bool {
    guard let other = target.table.flatMap({ contents[$0] }) else { return false }
    let dialect = db.dialect
    let (type, key) = (dialect.name(pair.typeColumn), dialect.name(pair.keyColumn))
    let held = target.columns.enumerated().map { "\(dialect.name($1)) AS k\($0)" }.list
    let tie = other.key.enumerated().map { "t.\(dialect.name($1)) = r.k\($0)" }
    let missing = db.answer(
      "SELECT count(*) FROM (SELECT \(held) FROM \(dialect.table(table.schema.name)) "
        + "WHERE \(type) = \(dialect.text(target.value)) AND \(key) IS NOT NULL LIMIT \(TableSurvey.mostValues)) r "
        + "WHERE NOT EXISTS (SELECT 1 FROM \(dialect.table(other.schema.name)) t "
        + "WHERE \(tie.joined(separator: " AND ")))")
    return missing?[0].number == 0
  }
}
