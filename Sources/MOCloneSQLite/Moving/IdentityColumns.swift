import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The columns that a part of an identity lies in, and how they are reached from a row.
struct IdentityColumns {
  /// The columns at the end.
  private let columns: [String]
  /// Tables on the way, each with what ties it to the one before; the innermost last.
  private let way: [(from: String, tie: String)]

  /// - Parameter table: how a table is named in SQL.
  init(
    _ path: IdentityPath, of entity: String, mapping: SchemaMapping, alias: String,
    table: (String) -> String = SQL.main
  ) {
    var place = alias
    var entity = entity
    var way: [(String, String)] = []
    for (i, step) in path.steps.enumerated() {
      let isLast = i == path.steps.count - 1
      let relationship = mapping[entity].relationships[step.name]!
      if isLast, path.attribute == nil, case .foreignKey(let key) = relationship {
        columns = key.columns.map { SQL.column(place, $0) }
        self.way = way
        return
      }
      let next = "\(alias)\(i + 1)"
      let destination = mapping[step.destination]
      switch relationship {
      case .foreignKey(let key):
        let tie = SQL.equal(
          key.references.map { SQL.column(next, $0) }, key.columns.map { SQL.column(place, $0) })
        way.append(("\(table(destination.table)) \(next)", tie))
      case .inverseForeignKey(let key):
        let tie = SQL.equal(
          key.columns.map { SQL.column(next, $0) }, key.references.map { SQL.column(place, $0) })
        way.append(("\(table(destination.table)) \(next)", tie))
      case .join(let join):
        let pairs = "\(next)j"
        let own = SQL.equal(
          join.columns.map { SQL.column(pairs, $0) }, join.references.map { SQL.column(place, $0) })
        let other = SQL.equal(
          join.destinationReferences.map { SQL.column(next, $0) },
          join.destinationColumns.map { SQL.column(pairs, $0) })
        way.append(
          (
            "\(table(join.table)) \(pairs) CROSS JOIN \(table(destination.table)) \(next)",
            "\(own) AND \(other)"
          ))
      }
      place = next
      entity = step.destination
    }
    columns =
      path.attribute.map { [SQL.column(place, mapping[entity].attributes[$0.name]!.column)] }
      ?? mapping[entity].keyColumns.map { SQL.column(place, $0) }
    self.way = way
  }

  /// A condition on the columns, from the row that the path begins at.
  func condition(_ body: ([String]) -> String) -> String {
    guard !way.isEmpty else { return body(columns) }
    return way.reversed().reduce(body(columns)) { inner, step in
      "EXISTS (SELECT 1 FROM \(step.from) WHERE \(step.tie) AND \(inner))"
    }
  }

  /// The values of the columns, from the row that the path begins at; null where it leads nowhere.
  var values: [String] {
    columns.map { column in
      way.reversed().reduce(column) { inner, step in "(SELECT \(inner) FROM \(step.from) WHERE \(step.tie))" }
    }
  }
}
