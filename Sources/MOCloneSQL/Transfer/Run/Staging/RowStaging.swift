import MOCloneEngine
import MOCloneModel

/// Puts what is meant of a source into temporary tables like the store's, so that it comes in as the rows of an attached
/// store do.
protocol RowStaging: AnyObject {
  var objects: ObjectStaging { get }
  /// How many references lead to rows that do not exist, and were left empty, by relationship.
  var dangling: [String: Int] { get }
  /// Whether references of staged rows may dangle, since the source's database answers for them.
  var trustsReferences: Bool { get }

  /// Whether staging a subtree enters all that it is linked to as such.
  var entersLinked: Bool { get }

  /// Stages everything that is meant.
  ///
  /// - Throws: `RowsNotInPlace`.
  func stage(_ loading: any BulkLoading) throws
  /// Stages what identifies others and is not meant itself.
  func stageIdentityEnds() throws
  /// Enters the members of a subtree, and the objects outside that the request names, into its tables.
  func enterSubtree(_ subtree: SubtreeReach, statements: any StatementRunning) throws
}

extension RowStaging {
  var layout: TransferLayout { objects.layout }
  var db: any TransferConnection { objects.db }
  var options: TransferOptions { objects.options }
  var skipped: [(object: ObjectID, path: IdentityPath)] { objects.skipped }
  func staged(_ object: ObjectID) throws -> ObjectID { try objects.staged(object) }
}

/// Rows that were staged in the store's own tables are not what is written there: they have to be staged again, elsewhere.
package struct RowsNotInPlace: Error {}
