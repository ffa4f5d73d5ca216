import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

extension SQLiteGraph: StoreGraph {
  /// An empty store of a model in memory.
  ///
  /// - Throws: `CloneError` where the model does not say what makes the values of a key.
  public static func temporary(_ model: ObjectModel) throws -> SQLiteGraph {
    let queue = try DatabaseQueue()
    try queue.write { try SchemaWriter(model).create(in: $0) }
    return SQLiteGraph(owning: queue, model: model, coreData: nil)
  }

  /// Checks that the store has every table and column that a plan reads or writes.
  ///
  /// - Returns: the indexes without which a run of the plan reads whole tables.
  /// - Throws: `CloneError` (`store-mismatch`, `unmapped-column`) with everything that is missing.
  @discardableResult
  public func check(_ plan: ClonePlan) throws -> [MissingIndex] {
    MissingIndexes(schema: try schema(of: plan), mapping: mapping, model: model).following(plan.askedNames)
  }

  package func schema(of plan: ClonePlan) throws -> StoreSchema {
    try read {
      try CloneOperation(access: $0, plan: plan, options: CloneOptions()).prepared().program.layout.schema
    }
  }

  /// What a run of a plan would clone and link, found without writing to the store.
  ///
  /// It works on a read-only connection, too: the closure is in temporary tables.
  ///
  /// - Throws: `CloneError` with what a run would be refused for before its first write.
  public func preview(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult {
    try look {
      try CloneOperation(access: $0, plan: plan, options: CloneOptions()).looking(from: roots) {
        try $0.preview($1)
      }
    }
  }

  /// Runs a plan on a temporary copy of the store, which stays as it is.
  ///
  /// - Throws: `CloneError` with what the run itself would be refused for.
  package func rehearse(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult {
    try read { access in
      try dryRunCopy.with(copyOf: access.db) {
        try CloneOperation(access: rows($0), plan: plan, options: CloneOptions()).clone(roots)
      }
    }
  }

  /// The statements that a run of a plan consists of in this store, in their order.
  public func statements(_ plan: ClonePlan) throws -> [String] {
    try read { try CloneOperation(access: $0, plan: plan, options: CloneOptions()).prepared().statements }
  }

  package func withRows<Result>(
    of entities: Set<String>?, makesTables: Bool, _ body: (SourceRows) throws -> Result
  ) throws -> Result? {
    try look { access in
      // What tells one notation of a value from another is written by functions.
      try Functions.register(in: access.db)
      return try body(
        SourceRows(access) { plan, roots, body in
          try CloneOperation(access: access, plan: plan, options: CloneOptions()).looking(from: roots) {
            try $0.eachClosure(of: $1, body)
          }
        })
    }
  }

  /// The one object whose attribute has a value.
  ///
  /// - Throws: `CloneError`: `no-such-object` for none, `invalid-key` for several.
  public func object(_ entity: String, attribute name: String, equals text: String) throws -> ManagedObject {
    let id = try read { access in
      try Functions.register(in: access.db)
      return try access.object(entity, attribute: name, equals: text)
    }
    return ManagedObject(id: id, graph: self)
  }
}
