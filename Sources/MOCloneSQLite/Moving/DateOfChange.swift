import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension MoveLayout {
  /// Assignments that set the date of change of rows, in those of the table's entities that have one.
  func touch(_ table: ObjectTable, _ alias: String, _ modified: ModifiedRule) -> [String] {
    let entities = model.concreteEntities(of: table.root)
    return dated(table, modified).sorted { $0.key < $1.key }.map { name, dated in
      let value = ValueCoding(column(modified, dated[0])!).literal(.date(modified.instant))
      guard dated.count < entities.count, let discriminator = table.discriminator else {
        return "\(SQL.name(name)) = \(value)"
      }
      let kinds = SQL.list(dated.map { SQL.text(mapping[$0].discriminator!.value) })
      return "\(SQL.name(name)) = CASE WHEN \(SQL.column(alias, discriminator)) IN (\(kinds)) THEN \(value) "
        + "ELSE \(SQL.column(alias, name)) END"
    }
  }

  /// The columns that `touch` sets.
  func dateColumns(_ table: ObjectTable, _ modified: ModifiedRule) -> [String] {
    dated(table, modified).keys.sorted()
  }

  /// The entities of a table that have a date of change, by its column.
  private func dated(_ table: ObjectTable, _ modified: ModifiedRule) -> [String: [String]] {
    let entities = model.concreteEntities(of: table.root).filter {
      modified.attribute(of: $0, in: model) != nil && column(modified, $0) != nil
    }
    return Dictionary(grouping: entities, by: { column(modified, $0)!.column })
  }

  /// The column of the date of change; nil where it cannot be written.
  private func column(_ modified: ModifiedRule, _ entity: String) -> AttributeColumn? {
    guard let column = mapping[entity].attributes[modified.name], column.keyPart == nil,
      table(of: entity).schema.column(column.column)?.isGenerated != true
    else { return nil }
    return column
  }
}
