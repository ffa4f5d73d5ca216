import MOCloneModel
import MOCloneSQL

/// A reference whose target another column names: `commentable_type` and `commentable_id`.
struct PolymorphicPair {
  var typeColumn: String
  var keyColumn: String
  /// What the type column holds, and the table that it means.
  var targets: [(value: String, table: String)]
  /// What both columns have in common.
  var role: NameWords
}

/// Finds references of that kind by the names of the columns and the values of the rows.
struct PolymorphicPairs {
  let db: any SQLConnection
  let contents: DatabaseContents
  let references: TableReferences
  let entities: EntityNames
  static let mostTypes = 50

  /// The first pair of a table that every row fits, and for each other one a sentence that says why it is not modelled.
  func pair(of table: DatabaseTable) throws -> (pair: PolymorphicPair?, reasons: [String]) {
    var first: PolymorphicPair?
    var reasons: [String] = []
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
        reasons.append(
          "'\(column.name)' and '\(key)' look like a reference to several tables; \(reason), so the columns stay "
            + "attributes: clones and copies keep these keys as they are, whatever row has them in the target."
        )
      }
    }
    return (first, reasons)
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
    guard types.classes == ["text"], !types.hasNull else { return (nil, "some rows have no type") }
    let values = try TableSurvey(db: db, table: table.schema).strings(typeColumn, most: Self.mostTypes + 1)
    let targets = values.compactMap { value in target(of: value).map { (value: value, table: $0) } }
    guard targets.count == values.count, values.count <= Self.mostTypes else {
      let unknown = values.first { target(of: $0) == nil } ?? ""
      return targets.isEmpty
        ? (nil, nil) : (nil, "no table is meant by '\(unknown)'")
    }
    let pair = PolymorphicPair(typeColumn: typeColumn, keyColumn: keyColumn, targets: targets, role: role)
    guard targets.allSatisfy({ holds(pair, target: $0, in: table) }) else {
      return (nil, "not all of its keys are found")
    }
    return (pair, nil)
  }

  /// The table that a class name means: `App\Models\Post`, `blog.Post` and `posts` mean posts.
  private func target(of value: String) -> String? {
    let name = value.split { "\\.:/".contains($0) }.last.map(String.init) ?? value
    let words = NameWords(name).singular.key
    let found = contents.tables.filter { entities.one($0.id).key == words && $0.key.count == 1 }
    return found.count == 1 && !entities[found[0].id].isEmpty ? found[0].id : nil
  }

  private func holds(
    _ pair: PolymorphicPair, target: (value: String, table: String), in table: DatabaseTable
  ) -> Bool {
    guard let other = contents[target.table] else { return false }
    let dialect = db.dialect
    let (type, key) = (dialect.name(pair.typeColumn), dialect.name(pair.keyColumn))
    let missing = db.answer(
      "SELECT count(*) FROM (SELECT \(key) AS k FROM \(dialect.table(table.schema.name)) "
        + "WHERE \(type) = \(dialect.text(target.value)) AND \(key) IS NOT NULL LIMIT \(TableSurvey.mostValues)) r "
        + "WHERE NOT EXISTS (SELECT 1 FROM \(dialect.table(other.schema.name)) t "
        + "WHERE t.\(dialect.name(other.key[0])) = r.k)")
    return missing?[0].number == 0
  }
}
