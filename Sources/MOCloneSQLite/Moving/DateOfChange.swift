import MOCloneEngine
import MOCloneModel

extension MoveLayout {
  /// Assignments that set the date of change of rows, in those of the table's entities that have one.
  func touch(_ table: ObjectTable, _ alias: String, _ modified: ModifiedRule) -> [String] {
    let entities = model.concreteEntities(of: table.root)
    let dated = Dictionary(
      grouping: entities.filter {
        modified.attribute(of: $0, in: model) != nil && column(modified, $0) != nil
      },
      by: { column(modified, $0)!.column })
    return dated.sorted { $0.key < $1.key }.map { name, dated in
      let value = ValueCoding(column(modified, dated[0])!).literal(.date(modified.instant))
      guard dated.count < entities.count, let discriminator = table.discriminator else {
        return "\(SQL.name(name)) = \(value)"
      }
      let kinds = SQL.list(dated.map { SQL.text(mapping[$0].discriminator!.value) })
      return "\(SQL.name(name)) = CASE WHEN \(SQL.column(alias, discriminator)) IN (\(kinds)) THEN \(value) "
        + "ELSE \(SQL.column(alias, name)) END"
    }
  }

  /// The column of the date of change; nil where it cannot be written.
  private func column(_ modified: ModifiedRule, _ entity: String) -> AttributeColumn? {
    guard let column = mapping[entity].attributes[modified.name], column.keyPart == nil,
      table(of: entity).schema.column(column.column)?.isGenerated != true
    else { return nil }
    return column
  }
}
