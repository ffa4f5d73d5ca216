import MOCloneEngine
import MOCloneModel

/// The tables of a model in a store, and what refers to what.
package struct StoreLayout: Sendable {
  package let model: ObjectModel
  package let mapping: SchemaMapping
  package let schema: StoreSchema
  /// One for each root entity that can have objects and whose table is known, in the order of the model.
  package let tables: [TablePlan]
  /// The foreign keys between them.
  package let references: [RowReference]
  package let joins: [TableJoin]
  private let places: [String: Int]

  package var dialect: Dialect { schema.dialect }

  package init(model: ObjectModel, mapping: SchemaMapping, schema: StoreSchema) {
    let mapping = mapping.knowing(schema)
    self.model = model
    self.mapping = mapping
    self.schema = schema
    let roots = model.entities.filter { entity in
      entity.parent == nil && !model.concreteEntities(of: entity.name).isEmpty
        && schema[mapping[entity.name].table] != nil
    }
    tables = roots.enumerated().map {
      TablePlan($1.name, index: $0, model: model, mapping: mapping, schema: schema)
    }
    let places = Dictionary(uniqueKeysWithValues: tables.map { ($0.root, $0.index) })
    self.places = places
    func hasTable(_ entity: String) -> Bool { places[model.rootEntity(of: entity)] != nil }
    references = RowReference.all(model: model, mapping: mapping).filter {
      hasTable($0.entity) && hasTable($0.key.destination)
    }
    joins = TableJoin.all(model, mapping, schema).filter {
      hasTable($0.relationship.entity) && hasTable($0.relationship.destination)
    }
  }

  package func table(of entity: String) -> TablePlan { tables[places[model.rootEntity(of: entity)]!] }

  package func hasObjects(of entity: String) -> Bool {
    places[model.rootEntity(of: entity)] != nil && !model.concreteEntities(of: entity).isEmpty
  }

  package func references(in table: TablePlan) -> [RowReference] {
    references.filter { self.table(of: $0.entity) == table }
  }

  /// Whether a row is an object of an entity or of what inherits from it.
  package func isKind(_ entity: String, alias: String) -> Condition {
    table(of: entity).isKind(model.concreteEntities(of: entity), alias: alias)
  }

  package func references(to table: TablePlan) -> [RowReference] {
    references.filter { self.table(of: $0.key.destination) == table }
  }

  /// Whatever refers to the rows of a table by the model: foreign keys, then join tables.
  func referrers(to table: TablePlan) -> [Referrer] {
    let members = references(to: table).map { reference in
      let plan = self.table(of: reference.entity)
      return Referrer(
        table: plan.schema, plan: plan, columns: reference.key.columns, references: reference.key.references,
        isHeld: { holds(reference, $0) }, leadsBack: leadsBack(reference))
    }
    let pairs = joins.flatMap { join in
      join.ends.filter { self.table(of: $0.entity) == table }.map { end in
        Referrer(table: join.schema, columns: end.mapping.columns, references: end.mapping.references)
      }
    }
    return members + pairs
  }

  /// Whether a row holds a reference, where siblings keep other references in its columns.
  package func holds(_ reference: RowReference, _ alias: String) -> Condition {
    isKind(reference.entity, alias: alias)
  }

  /// Whether a reference leads to what belongs to its own row.
  func leadsBack(_ reference: RowReference) -> Bool {
    mapping[reference.entity].leadsBack(reference.key)
  }

  /// Whether what a one-to-one relationship leads to belongs to its object anyway.
  func leadsToMember(_ relationship: RelationshipDescription?) -> Bool {
    relationship.map { mapping.leadsToMember($0, in: model) } ?? false
  }

  /// The columns that the database would empty to empty a reference, or those that can be null; none where it computes
  /// them all.
  func columns(emptying reference: RowReference) -> [String] {
    let member = table(of: reference.entity)
    if let declared = reference.declared(in: member)?.emptied, !declared.isEmpty { return declared }
    let columns = mapping[reference.entity].columns(emptying: reference.key)
      .filter { !member.schema.isGenerated($0) }
    let open = columns.filter { member.schema.column($0)?.isRequired == false }
    return open.isEmpty ? columns : open
  }

  /// Whether a reference of a row leads to a row.
  package func leads(_ reference: RowReference, alias: String) -> Condition {
    let destination = table(of: reference.key.destination)
    return .exists(
      in: destination.rows("x"), where: reference.key.leads(from: alias, to: "x", in: dialect), dialect)
  }
}

/// What refers to the rows of a table by some of its columns.
struct Referrer {
  var table: TableSchema
  /// Nil of join tables, and of tables that the model does not know.
  var plan: TablePlan?
  var columns: [String]
  /// The columns that they refer to, in step.
  var references: [String]
  /// Whether a row holds the reference.
  var isHeld: (_ alias: String) -> Condition = { _ in .always }
  /// Whether it leads to what belongs to its own row.
  var leadsBack = false
}

extension ForeignKeyMapping {
  /// Whether a row's columns hold what a row of the destination is referenced by.
  func leads(from alias: String, to destination: String, in dialect: Dialect) -> Condition {
    .equal(dialect.columns(destination, references), dialect.columns(alias, columns))
  }
}

extension RelationshipMapping {
  /// What ties a row to one that the relationship leads to: the rows of a join table between them, where there are such,
  /// and the condition that the destination's row meets.
  func way(
    from alias: String, to destination: String, over pairs: String, in dialect: Dialect
  ) -> (pairs: (table: String, tie: Condition)?, tie: Condition) {
    func tie(_ alias: String, _ columns: [String], _ place: String, _ values: [String]) -> Condition {
      .equal(dialect.columns(alias, columns), dialect.columns(place, values))
    }
    switch self {
    case .foreignKey(let key): return (nil, key.leads(from: alias, to: destination, in: dialect))
    case .inverseForeignKey(let key): return (nil, tie(destination, key.columns, alias, key.references))
    case .join(let join):
      return (
        pairs: (table: join.table, tie: tie(pairs, join.columns, alias, join.references)),
        tie: tie(destination, join.destinationReferences, pairs, join.destinationColumns)
      )
    }
  }
}

extension RowReference {
  /// The relationship that people know it by.
  package var relationship: RelationshipDescription { (forward ?? backward)! }
  package var isRequired: Bool { forward.map { !$0.isOptional } ?? false }
  /// Whether a destination has one row at most.
  package var isOneToOne: Bool { backward.map { !$0.isToMany } ?? false }
}

/// a join table with the relationships that read it from either end.
package struct TableJoin: Sendable {
  package let mapping: JoinTableMapping
  package let relationship: RelationshipDescription
  package let inverse: RelationshipDescription?
  package let schema: TableSchema

  /// In the order of the model, each table once.
  static func all(_ model: ObjectModel, _ mapping: SchemaMapping, _ schema: StoreSchema) -> [TableJoin] {
    mapping.joins(of: model).uniqued { $0.join.table.sqlName }.compactMap { relationship, join in
      schema[join.table].map {
        TableJoin(
          mapping: join, relationship: relationship, inverse: model.inverse(of: relationship), schema: $0)
      }
    }
  }

  /// Both ends: the columns of the one, the relationship that reads the join rows from there, and its entity.
  package var ends: [(mapping: JoinTableMapping, relationship: RelationshipDescription?, entity: String)] {
    [
      (mapping, relationship, relationship.entity),
      (mapping.inverted, inverse, relationship.destination),
    ]
  }
}

extension SchemaMapping {
  /// Where a model is in a database: one of SQLite has neither types nor schemas.
  package init(_ model: ObjectModel, in dialect: Dialect) {
    let mapping = SchemaMapping(model)
    self = dialect.hasTypes ? mapping.typed : mapping.withoutSchema(of: model.store)
  }

  /// The same with the types of the columns, in a database that has types.
  package func knowing(_ schema: StoreSchema) -> SchemaMapping {
    schema.dialect.hasTypes ? knowing { schema[$0]?.column($1)?.base } : self
  }
}
