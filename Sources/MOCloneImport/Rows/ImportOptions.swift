import MOCloneEngine

/// How a file is imported.
public struct ImportOptions: Sendable {
  /// What becomes of rows that do not fit.
  public enum BadRows: Sendable, Equatable {
    /// Nothing is imported.
    case stop
    /// The others are imported, and these are written to a file of the same format, with their reasons.
    case skip(rejects: String)
  }

  /// What becomes of objects that exist already; they are kept by default.
  public var existing: ExistingPolicy
  /// What becomes of rows that do not fit; they stop the import by default.
  public var badRows: BadRows
  /// What identifies objects, in place of uniqueness constraints.
  public var identifiedBy: IdentityRequest
  /// The format of the file; nil leaves it to the file's name.
  public var format: FileFormat?
  /// Files that bad rows are never written into, besides those of the import and of the store.
  public var keptFiles: [String] = []
  /// Names in the file that mean nothing, besides those of the mapping.
  public var ignore: [String] = []
  /// The name of the mark by which the import happens once to a store.
  public var once: String?

  /// Creates options; every parameter has the default that keeps existing objects and refuses bad rows.
  public init(
    existing: ExistingPolicy = .keep, badRows: BadRows = .stop, identifiedBy: IdentityRequest = [:],
    format: FileFormat? = nil, once: String? = nil
  ) {
    self.existing = existing
    self.badRows = badRows
    self.identifiedBy = identifiedBy
    self.format = format
    self.once = once
  }
}
