import MOCloneEngine
import MOCloneModel

/// The objects of a database: what clones in it, whatever database it is.
package protocol StoreGraph: ObjectGraph {
  /// Interrupts the statement that another thread runs in this graph; nil inside a caller's transaction.
  var interruption: (@Sendable () -> Void)? { get }

  /// Checks that the store has every table and column that a plan reads or writes.
  ///
  /// - Returns: the indexes without which a run of the plan reads whole tables.
  @discardableResult
  func check(_ plan: ClonePlan) throws -> [MissingIndex]

  /// What a run of a plan would clone and link, found without writing to the store.
  func preview(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult

  /// Runs a plan and takes everything back.
  func rehearse(_ plan: ClonePlan, roots: [ObjectID]) throws -> CloneResult

  /// The statements that a run of a plan consists of in this store, in their order.
  func statements(_ plan: ClonePlan) throws -> [String]

  /// The one object whose attribute has a value.
  func object(_ entity: String, attribute name: String, equals text: String) throws -> ManagedObject

  /// The first objects of an entity and its sub-entities by key.
  func objectIDs(_ entity: String, limit: Int) throws -> [ObjectID]

  /// Reads several times from one state of the store.
  @discardableResult
  func reading<Result>(_ body: () throws -> Result) throws -> Result

  /// Everything in which the store disagrees with the model, but for what some tables show.
  func storeFindings(ignoring tables: Set<String>) throws -> [Diagnostic]

  /// Closes the store; the graph throws afterwards.
  func close() throws
}

extension StoreGraph {
  @discardableResult
  package func reading<Result>(_ body: () throws -> Result) throws -> Result { try body() }
}
