import MOCloneEngine
import MOCloneModel

/// The columns that a part of an identity is in, and how they are reached from a row.
package struct IdentityColumns {
  /// The columns at the end.
  private var columns: [String] = []
  /// Tables on the way, each with what ties it to the one before; the innermost last.
  private var way: [(from: From, tie: Condition)] = []
  private let mapping: SchemaMapping
  private let dialect: Dialect
  private let table: (String) -> String

  /// - Parameters:
  ///   - alias: the row that the path begins at.
  ///   - table: how a table is named in SQL; those of the store where nil.
  package init(
    _ path: IdentityPath, of entity: String, mapping: SchemaMapping, alias: String, dialect: Dialect,
    table: ((String) -> String)? = nil
  ) {
    self.mapping = mapping
    self.dialect = dialect
    self.table = table ?? dialect.table
    var place = alias
    var entity = entity
    for (i, step) in path.steps.enumerated() {
      let isEnd = i == path.steps.count - 1 && path.attribute == nil
      if isEnd, let key = mapping[entity].foreignKey(step.name) {
        columns = dialect.columns(place, key.columns)
        return
      }
      let next = "\(alias)\(i + 1)"
      follow(mapping[entity].relationships[step.name]!, to: step.destination, from: place, next: next)
      place = next
      entity = step.destination
    }
    columns =
      path.attribute.map { [dialect.column(place, mapping[entity].attributes[$0.name]!.column)] }
      ?? dialect.columns(place, mapping[entity].keyColumns)
  }

  private mutating func follow(
    _ relationship: RelationshipMapping, to destination: String, from place: String, next: String
  ) {
    let there = "\(table(mapping[destination].table)) \(next)"
    let (pairs, tie) = relationship.way(from: place, to: next, over: "\(next)j", in: dialect)
    guard let pairs else { return way.append((From(there), tie)) }
    let rows = From("\(table(pairs.table)) \(next)j", joins: [.ordered(there, on: .always)])
    way.append((rows, pairs.tie && tie))
  }

  /// A condition on the columns, from the row that the path begins at.
  package func condition(_ body: ([String]) -> Condition) -> Condition {
    way.reversed().reduce(body(columns)) { inner, step in
      .exists(in: step.from, where: step.tie && inner, dialect)
    }
  }

  /// The values of the columns, from the row that the path begins at; null where the path ends early.
  package var values: [String] {
    columns.map { column in
      way.reversed().reduce(column) { inner, step in
        "(\(Select([inner], from: step.from).where(step.tie).text(dialect)))"
      }
    }
  }
}
