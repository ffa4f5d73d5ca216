import MOCloneEngine
import MOCloneModel

/// A promise that a clone of a random graph did not keep.
public struct Violation: Sendable, Equatable {
  /// The promises, each with what was seen instead.
  public enum Kind: Sendable, Equatable {
    /// The clone was refused with an error.
    case refused
    /// An object that was there before holds another value, or lost a link.
    case originalChanged
    /// An object that is not cloned got a clone into a list that it owns.
    case joinsAggregate
    /// A constraint of the model holds no longer.
    case constraintBroken
    /// A clone is linked to an original that was cloned as well.
    case openReference
    /// There are more or fewer clones than the plan says.
    case wrongCount
    /// A second clone of the root, or a clone of the clone, is refused or holds something else.
    case notRepeatable
  }

  /// Which promise.
  public var kind: Kind
  /// The code of the finding.
  public var code: DiagnosticCode
  /// The part of the model that the finding is about.
  public var path: ModelPath
  /// What happened, as one sentence about entities.
  public var message: String
  /// What happened, as one sentence about the objects of the graph.
  public var event: String
  /// The object that was cloned.
  public var root: Int
  /// The entities whose clones did the same in other graphs, in the order of the model.
  public var rootEntities: [String] = []
  /// Objects that the sentence speaks of.
  public var objects: [Int]
  /// The graph before the clone; without objects where no graph is needed to see it.
  public var before = SampleGraph()
  /// The graph after the clone; nil where it was refused.
  public var after: SampleGraph?
  /// The numbers of the clones by those of their originals.
  public var clones: [Int: Int] = [:]

  /// What two violations of one cause have in common.
  var cause: Cause { Cause(kind: "\(kind)", code: code, path: path) }

  struct Cause: Hashable {
    var kind: String
    var code: DiagnosticCode
    var path: ModelPath
  }
}
