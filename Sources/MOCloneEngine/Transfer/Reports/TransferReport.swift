import MOCloneModel

/// What an operation that moves data did, or would do: counts by concrete entity.
///
/// A section that an operation does not have is nil, and left out of the JSON.
public struct TransferReport: Codable, Sendable, Equatable {
  /// The operations that move data, as the JSON names them.
  public enum Operation: String, Codable, Sendable {
    /// Objects of another store were copied into this one.
    case copy
    /// Subtrees of another store were cloned into this one.
    case clone
    /// Rows of a file were imported.
    case `import`
    /// Objects followed a full set of rows.
    case sync
    /// Duplicates were merged or deleted.
    case dedupe
    /// Another store was merged into this one.
    case seed
  }

  /// Something that was left out, and why.
  public struct Skipped: Codable, Sendable, Hashable {
    /// The object, or file and line.
    public var place: String
    /// Why it was left out, for people to read.
    public var reason: String
    /// The values of a merged object that its survivor does not hold, by attribute or relationship; nil for anything else.
    public var givenUp: [String: String]?

    /// Creates an entry from a place and a reason.
    public init(place: String, reason: String, givenUp: [String: String]? = nil) {
      self.place = place
      self.reason = reason
      self.givenUp = givenUp
    }
  }

  /// Rows that were left out, each counted once, and the file that they were written to.
  public struct Rejected: Codable, Sendable, Hashable {
    /// How many rows were left out.
    public var rows: Int
    /// The path of the file that they were written to.
    public var file: String

    /// Creates an entry from a number of rows and the path of their file.
    public init(rows: Int, file: String) {
      self.rows = rows
      self.file = file
    }
  }

  /// Objects that shared their identity.
  public struct Group: Codable, Sendable, Equatable {
    /// The entity of the objects.
    public var entity: String
    /// The values that the objects share, one for each part of their identity.
    public var identity: [String]
    /// The key of the object that stays.
    public var survivor: String
    /// The keys of the objects that were merged into the survivor; empty where they were deleted instead.
    public var merged: [String]
    /// Those that were deleted instead; nil where they were merged.
    public var deleted: [String]?

    /// Creates a group from an identity and the keys of its objects.
    public init(
      entity: String, identity: [String], survivor: String, merged: [String], deleted: [String]? = nil
    ) {
      self.entity = entity
      self.identity = identity
      self.survivor = survivor
      self.merged = merged
      self.deleted = deleted
    }

    package mutating func add(_ loser: String, _ merge: DedupeRequest.Merge) {
      if merge == .none { deleted = (deleted ?? []) + [loser] } else { merged.append(loser) }
    }
  }

  /// The version of the report's JSON; always 1.
  public var version = 1
  /// The operation that the report is about.
  public var operation: Operation
  /// Whether the operation only looked, so that the report says what it would do.
  public var dryRun: Bool
  /// The objects that were made.
  public var created: [String: Int]?
  /// Those of them that are clones of objects of a subtree; the others are what these are linked to.
  public var cloned: [String: Int]?
  /// The existing objects that were matched.
  public var found: [String: Int]?
  /// The existing objects that took over a value.
  public var updated: [String: Int]?
  /// The existing objects that needed no change.
  public var unchanged: [String: Int]?
  /// The objects that were deleted.
  public var deleted: [String: Int]?
  /// The objects that became one with another one.
  public var merged: [String: Int]?
  /// Relationships formed, by `Entity.name`.
  public var linked: [String: Int]?
  /// References of the source to objects that do not exist, which arrived as null, by `Entity.name`.
  public var dangling: [String: Int]?
  /// References that became null because their objects were deleted, by `Entity.name`.
  public var nullified: [String: Int]?
  /// Rows that the store removed itself with deleted objects, by foreign keys with ON DELETE CASCADE; by table.
  public var cascaded: [String: Int]?
  /// The groups of duplicates, as many as the request lists.
  public var groups: [Group]?
  /// How many more objects were merged into others, or deleted beside them, than `groups` lists.
  public var unlistedDuplicates: Int?
  /// What was left out, each with its reason.
  public var skipped: [Skipped]?
  /// How many more were left out than `skipped` lists.
  public var unlisted: Int?
  /// The rows of the file that were left out.
  public var rejected: Rejected?
  /// Columns that the mapping reads and the table in the file does not have.
  public var missingColumns: [String]?
  /// Why nothing was done at all.
  public var reason: String?

  /// Creates a report in which nothing was done.
  public init(_ operation: Operation, isDryRun: Bool = false) {
    self.operation = operation
    dryRun = isDryRun
  }

  /// Adds to a count; none is added for 0.
  public mutating func add(
    _ count: Int = 1, _ entity: String, to section: WritableKeyPath<Self, [String: Int]?>
  ) {
    guard count != 0 else { return }
    var counts = self[keyPath: section] ?? [:]
    counts[entity, default: 0] += count
    self[keyPath: section] = counts
  }

  /// Adds something that was left out, and why.
  public mutating func skip(_ place: String, _ reason: String) {
    skip(Skipped(place: place, reason: reason))
  }

  package mutating func skip(_ entry: Skipped) { skipped = (skipped ?? []) + [entry] }

  /// Why an object is left out that cannot be found again.
  package static func unidentified(_ path: String) -> String {
    "it has no identity: \(path) is null or empty; references to it are left empty"
  }

  /// Adds what a merge at the end of the operation did and left out.
  package mutating func add(_ merge: TransferReport) {
    merged = merge.merged
    for skipped in merge.skipped ?? [] { skip(skipped) }
    unlisted = merge.unlisted ?? unlisted
  }

  /// So many objects of a table whose values are left out are named, and the others counted.
  package static let listedDifferences = 1000

  /// Why values of an object are left out that was joined with an earlier one.
  package static func differing(_ names: [String], from first: ObjectID) -> String {
    "\(names.map { "'\($0)'" }.listed()) \(names.count == 1 ? "differs from that" : "differ from those") of \(first), "
      + "which has the same identity and represents both"
  }

  /// What a merge gives up of an object, by the names of attributes and relationships.
  package static func givenUp(
    _ values: [(String, String)], of object: ObjectID, for survivor: ObjectID
  ) -> Skipped {
    // A column that the model does not name can be called like an attribute.
    Skipped(
      place: "\(object)", reason: differing(values.map(\.0).sorted(), from: survivor),
      givenUp: Dictionary(values) { "\($0), \($1)" })
  }

  /// Lists what a merge gives up of an object, with what is listed of it already.
  package mutating func giveUp(_ values: [(String, String)], of object: ObjectID, for survivor: ObjectID) {
    let entry = Self.givenUp(values, of: object, for: survivor)
    guard let place = skipped?.lastIndex(where: { $0.givenUp != nil && $0.place == entry.place }) else {
      return skip(entry)
    }
    let listed = skipped?[place].givenUp?.map { ($0.key, $0.value) } ?? []
    skipped?[place] = Self.givenUp(listed + values, of: object, for: survivor)
  }

  /// The one-to-one relationship of a new object stays null, because its destination belongs to another object already.
  package static func relatedObjectKept(_ relationship: RelationshipDescription) -> String {
    "its '\(relationship.name)' is left empty: the \(relationship.destination) has another \(relationship.entity) in the "
      + "store; a copy with --overwrite gives it to this one"
  }

  /// Why an object that was written does not hold what its row gives.
  package static let valuesNotKept = "a trigger of the store kept or replaced values that its row gives"

  /// Why a new object lacks a value of its original.
  package static func computed(_ name: String) -> String {
    "its '\(name)' does not come along: the store computes it, and holds another value"
  }

  /// Why a null of an object that exists stays.
  package static func notFilled(_ name: String) -> String {
    "its '\(name)' does not come along: it is unique, and another object has the value or would get it, too"
  }

  /// The same of a column that a unique index reads, where only the database can tell which values it takes.
  package static func fillRefused(_ name: String) -> String {
    "its '\(name)' does not come along: a unique index of the store reads it, and refused such values"
  }

  /// A run that brought nothing sets no mark.
  ///
  /// - Throws: `CloneError` (`empty-input`).
  package func checkNotEmpty(_ once: OnceRequest) throws {
    guard created?.isEmpty ?? true, found?.isEmpty ?? true else { return }
    throw CloneError(
      .emptyInput, "the source has no objects to copy, so nothing was done and '\(once.name)' is not marked")
  }

  /// How many objects and relationships the operation changes.
  public var changes: Int {
    [created, updated, deleted, merged, linked].compactMap { $0?.values.reduce(0, +) }.reduce(0, +)
  }
}
