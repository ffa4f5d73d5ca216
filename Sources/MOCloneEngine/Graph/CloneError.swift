import MOCloneModel

/// Why a run was refused or failed: everything that was found, each with its code and its place.
public struct CloneError: Error, Sendable {
  /// One thing that was found, with its code and its place.
  public struct Failure: Sendable, Hashable {
    /// The stable name of the kind of failure, as `moclone explain` knows it.
    public var code: DiagnosticCode
    /// What happened, and where.
    public var problem: String
    /// What to do about it.
    public var help: String?
    /// The entity that the failure is about; nil where it is about none.
    public var entity: String?
    /// The attribute or relationship.
    public var property: String?
    /// The original that the failure is about.
    public var object: ObjectID?
    /// The row of an import that the failure is about.
    public var row: ImportPlan.Row?

    /// What happened, where, and what to do.
    public var message: String { problem.advised(help) }

    /// Creates a failure; the entity is the object's where only an object is given.
    public init(
      _ code: DiagnosticCode, _ problem: String, help: String? = nil, entity: String? = nil,
      property: String? = nil, object: ObjectID? = nil
    ) {
      self.code = code
      self.problem = problem
      self.help = help
      self.entity = entity ?? object?.entity
      self.property = property
      self.object = object
    }
  }

  /// Each once.
  public let failures: [Failure]
  /// The error that the database gave, such as GRDB's `DatabaseError`.
  public let underlying: (any Error)?

  /// Creates an error from failures, of which equal ones count once.
  public init(_ failures: [Failure], underlying: (any Error)? = nil) {
    self.failures = failures.uniqued()
    self.underlying = underlying
  }

  /// Creates an error from one failure.
  public init(
    _ code: DiagnosticCode, _ problem: String, help: String? = nil, entity: String? = nil,
    property: String? = nil, object: ObjectID? = nil, underlying: (any Error)? = nil
  ) {
    self.init(
      [Failure(code, problem, help: help, entity: entity, property: property, object: object)],
      underlying: underlying)
  }

  /// The code of the first failure; `store-failed` where there is none.
  public var code: DiagnosticCode { failures.first?.code ?? .storeFailed }
}

extension CloneError.Failure {
  /// Failures that say the same of the same are the same, whether or not their message is known in its parts.
  public static func == (a: Self, b: Self) -> Bool { a.parts == b.parts }

  public func hash(into hasher: inout Hasher) { hasher.combine(parts) }

  private var parts: [AnyHashable] { [code, message, entity, property, object, row] }
}

extension CloneError: Equatable {
  /// Errors with the same failures are the same, whatever the database said.
  public static func == (a: Self, b: Self) -> Bool { a.failures == b.failures }
}

extension CloneError: CustomStringConvertible {
  public var description: String {
    failures.map { "\($0.message) [\($0.code.rawValue)]" }.joined(separator: "\n")
  }
}

extension CloneError {
  /// The error that the store has no object of an entity with a key.
  public static func noSuchObject(_ entity: String, _ key: ObjectKey) -> CloneError {
    CloneError(.noSuchObject, "the store has no \(entity) with the key '\(key)'", entity: entity)
  }

  /// The same with each failure changed.
  package func changing(_ change: (inout Failure) -> Void) -> CloneError {
    var failures = failures
    for i in failures.indices { change(&failures[i]) }
    return CloneError(failures, underlying: underlying)
  }

  /// A graph was used after its `close()`.
  package static var graphClosed: CloneError {
    CloneError(.graphEnded, "this graph is closed", help: "make a new one")
  }

  /// What a transaction of `atomically` or of the caller's holds is taken back by its end alone.
  package static var notPending: CloneError {
    CloneError(
      .invalidValue,
      "'rollback()' takes back pending clones, and this is within a transaction: of 'atomically', or of the caller's",
      help: "throw an error in its closure to take its changes back")
  }
}
