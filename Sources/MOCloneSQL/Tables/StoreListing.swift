/// What a database has for a model that is made of it, beside the schema of its tables.
package struct StoreListing: Sendable {
  /// The name of the database.
  package var name: String
  /// Every ordinary table.
  package var schema: StoreSchema
  package var writes: Set<TriggerWrite>
  /// The ordinary tables that entities can have, in the order of the entities.
  package var tables: [ListedTable]
  /// Names of what no entity can have, by what they are.
  package var leftOut: [(kind: String, names: [String])]
  /// The partitions that foreign keys reference, by their names as SQL compares names.
  package var partitions: Set<String>

  package init(
    name: String, schema: StoreSchema, writes: Set<TriggerWrite>, tables: [ListedTable],
    leftOut: [(kind: String, names: [String])], partitions: Set<String> = []
  ) {
    self.name = name
    self.schema = schema
    self.writes = writes
    self.tables = tables
    self.leftOut = leftOut.filter { !$0.names.isEmpty }
    self.partitions = partitions
  }
}

package struct ListedTable: Sendable {
  /// As the schema calls it.
  package var name: String
  /// Without the name of its schema.
  package var title: String
  /// What people should know of it.
  package var comments: [String]
  /// By the columns' names as SQL compares them; a column of which nothing is known may be missing.
  package var columns: [String: ListedColumn]

  package init(name: String, title: String? = nil, comments: [String] = [], columns: [String: ListedColumn]) {
    self.name = name
    self.title = title ?? name
    self.comments = comments
    self.columns = columns
  }
}

package struct ListedColumn: Sendable {
  /// What its DEFAULT clause says, as SQL.
  package var defaultValue: String?
  package var comment: String?
  /// The values of an enum.
  package var allowedValues: [String]
  /// The other columns of the table that a CHECK reads beside it.
  package var comparedWith: [String]

  package init(
    defaultValue: String? = nil, comment: String? = nil, allowedValues: [String] = [],
    comparedWith: [String] = []
  ) {
    self.comparedWith = comparedWith
    self.defaultValue = defaultValue
    self.comment = comment
    self.allowedValues = allowedValues
  }
}
