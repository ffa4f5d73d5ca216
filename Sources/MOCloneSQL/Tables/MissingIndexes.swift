import MOCloneEngine
import MOCloneModel

/// An index that a store lacks: without it, following a relationship reads a whole table.
public struct MissingIndex: Sendable, Equatable {
  /// The table that would be read as a whole, as the database writes its name.
  public var table: String
  /// The columns of the index in their order, a column with the list position last.
  public var columns: [String]
  /// The relationship that is followed by these columns, seen from the object that is followed; nil where only the
  /// database itself looks there, as at a deletion.
  public var relationship: RelationshipDescription?
  /// The relationship whose destination the columns hold.
  public var reference: RelationshipDescription?
  /// The statement that makes the index.
  public var statement: String
}

extension MissingIndex {
  /// What reads a whole table without the index, as a sentence.
  ///
  /// - Parameter isFollowed: whether a clone follows the relationship; else only deletions look there.
  package func message(isFollowed: Bool) -> String {
    guard isFollowed, let relationship else {
      let deleted = reference.map { "Deleting \($0.destination.withArticle)" } ?? "A deletion"
      return "\(deleted) scans '\(table)'; add an index."
    }
    return "Following '\(relationship.qualifiedName)' scans '\(table)'; add an index."
  }
}

/// The indexes that a store lacks for the foreign keys and join tables of a model.
///
/// ```swift
/// let missing = MissingIndexes(schema: schema, mapping: SchemaMapping(model), model: model)
/// for index in missing.all { print(index.statement) }
/// ```
package struct MissingIndexes: Sendable {
  private let schema: StoreSchema
  private let mapping: SchemaMapping
  private let model: ObjectModel

  package init(schema: StoreSchema, mapping: SchemaMapping, model: ObjectModel) {
    self.schema = schema
    self.mapping = mapping
    self.model = model
  }

  /// In the order of the model; of several relationships over the same columns the first that is followed.
  package var all: [MissingIndex] {
    var found: [MissingIndex] = []
    var places: [[String]: Int] = [:]
    for index in lookups.compactMap(missing) {
      let columns = [index.table] + index.columns.map(\.sqlName)
      if let same = places[columns] {
        if found[same].relationship == nil { found[same] = index }
      } else {
        places[columns] = found.count
        found.append(index)
      }
    }
    return found
  }

  /// Those over which some relationships are followed, as a plan does.
  ///
  /// - Parameter relationships: qualified names, as in `Note.items`.
  package func following(_ relationships: Set<String>) -> [MissingIndex] {
    lookups.filter { $0.relationship.map { relationships.contains($0.qualifiedName) } ?? false }
      .compactMap(missing)
  }

  /// Columns of a table in which a referenced value is looked up.
  private struct Lookup {
    package var table: String
    package var columns: [String]
    package var order: String?
    package var relationship: RelationshipDescription?
    package var reference: RelationshipDescription?
    /// Where the value looked for comes from.
    package var source: (entity: String, columns: [String])
  }

  private var lookups: [Lookup] {
    let references = RowReference.all(model: model, mapping: mapping).map { reference in
      Lookup(
        table: mapping[reference.key.entity].table, columns: reference.key.columns,
        order: reference.orderColumn, relationship: reference.backward, reference: reference.forward,
        source: (reference.key.destination, reference.key.references))
    }
    let pairs = mapping.joins(of: model).map { relationship, join in
      Lookup(
        table: join.table, columns: join.columns, relationship: relationship,
        reference: model.inverse(of: relationship), source: (relationship.entity, join.references))
    }
    return references + pairs
  }

  private func missing(_ lookup: Lookup) -> MissingIndex? {
    guard let table = schema[lookup.table], lookup.columns.allSatisfy({ table.column($0) != nil }),
      !isServed(lookup, in: table)
    else { return nil }
    let order = lookup.order.flatMap { table.column($0)?.name }
    let columns = lookup.columns.compactMap { table.column($0)?.name } + [order].compactMap { $0 }
    return MissingIndex(
      table: table.name, columns: columns, relationship: lookup.relationship, reference: lookup.reference,
      statement: schema.dialect.createIndex(on: table.name, columns, isTaken: schema.hasName))
  }

  /// Whether the row's number is looked for, or an index begins with the columns, in whatever order.
  private func isServed(_ lookup: Lookup, in table: TableSchema) -> Bool {
    if lookup.columns.contains(where: table.isRowid) { return true }
    return table.indexes.contains { index in
      let first = index.columns.prefix(lookup.columns.count)
      return lookup.columns.enumerated().allSatisfy { place, column in
        first.contains {
          $0.name?.sqlName == column.sqlName
            && $0.collation.lowercased() == collation(lookup, place: place).lowercased()
        }
      } && index.holdsAll(lookup.columns)
    }
  }

  /// The referenced side decides how values are compared, as in a foreign key.
  private func collation(_ lookup: Lookup, place: Int) -> String {
    let table = schema[mapping[lookup.source.entity].table]
    return table?.column(lookup.source.columns[place])?.collation ?? "BINARY"
  }
}

extension IndexSchema {
  /// Whether every row whose columns have values is in the index: all rows, or all that are not null there.
  package func holdsAll(_ columns: [String]) -> Bool {
    guard let condition else { return true }
    return SQLToken.filledColumns(in: condition)?.isSubset(of: columns.map(\.sqlName)) == true
  }

  /// Whether it keeps apart all rows with equal values, of which a null is none.
  package var isOfAllValues: Bool { holdsAll(columns.compactMap(\.name)) }
}
