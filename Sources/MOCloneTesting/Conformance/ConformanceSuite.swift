import Foundation
import MOCloneEngine
import MOCloneModel

/// Makes an empty graph of a model.
public typealias GraphMaker = (ObjectModel) throws -> any ObjectGraph

/// One behaviour that every store must show.
public struct ConformanceCase: Sendable, CustomStringConvertible {
  /// The behaviour and the shape it is shown on.
  public let name: String
  /// Why a part of it is left out in memory.
  package let memoryException: String?
  private let body: @Sendable (GraphMaker, Findings) throws -> Void

  init(
    _ name: String, exceptInMemory exception: String? = nil,
    body: @escaping @Sendable (GraphMaker, Findings) throws -> Void
  ) {
    self.name = name
    memoryException = exception
    self.body = body
  }

  /// Returns what was wrong, a line each.
  public func run(_ make: GraphMaker) throws -> [String] {
    let findings = Findings(memoryException: memoryException)
    try body(make, findings)
    return findings.failures
  }

  public var description: String { name }
}

/// What every object graph must pass.
///
/// ```swift
/// @Test(arguments: ConformanceSuite.cases)
/// func conforms(_ conformance: ConformanceCase) throws {
///   #expect(try conformance.run { MyGraph(model: $0) } == [])
/// }
/// ```
public enum ConformanceSuite {
  /// Every case, with a chain that is long enough to overflow the stack of a recursive cloner.
  public static let cases = cases(chainLength: 10_000)

  /// Every case, with a chain of the length given.
  public static func cases(chainLength: Int) -> [ConformanceCase] {
    groups(chainLength: chainLength).flatMap(\.cases)
  }

  /// How objects come from one graph into another, which may be of another kind.
  ///
  /// ```swift
  /// @Test(arguments: ConformanceSuite.transferCases)
  /// func takesObjectsOfAnyGraph(_ transfer: TransferCase) throws {
  ///   #expect(try transfer.run(from: { MemoryGraph(model: $0) }, into: { MyGraph(model: $0) }) == [])
  /// }
  /// ```
  public static let transferCases: [TransferCase] = transferGroups.flatMap(\.transfers)

  /// The cases that are about clones within one graph.
  public static let cloningCases: [ConformanceCase] = cloningGroups.flatMap(\.cases)
}

/// What a case found wrong.
final class Findings {
  private(set) var failures: [String] = []
  private let memoryException: String?

  init(memoryException: String?) {
    self.memoryException = memoryException
  }

  /// Whether a graph is in memory, for a case that leaves something out there, and says so (`exceptInMemory:`).
  func isException(_ graph: any ObjectGraph) -> Bool {
    guard graph is MemoryGraph else { return false }
    expect(memoryException != nil, "the case does not say that it leaves something out in memory")
    return true
  }

  func expect(_ condition: Bool, _ message: @autoclosure () -> String) {
    if !condition { failures.append(message()) }
  }

  func equal<Value: Equatable>(_ found: Value, _ expected: Value, _ what: String) {
    expect(found == expected, "\(what) is \(found), not \(expected)")
  }

  /// Notes where an operation does not throw an error of a code; returns the error.
  @discardableResult
  func refuses(_ code: DiagnosticCode, _ what: String, _ operation: () throws -> Void) rethrows -> CloneError?
  {
    do {
      try operation()
      failures.append("\(what) is not refused")
    } catch let error as CloneError {
      expect(error.code == code, "\(what) is refused with \(error), not with \(code.rawValue)")
      return error
    }
    return nil
  }

  /// Notes where an operation does not throw an error of a code, or changes the graph; returns the error.
  @discardableResult
  func refuses(
    _ code: DiagnosticCode, _ what: String, leaving graph: any ObjectGraph, _ operation: () throws -> Void
  ) throws -> CloneError? {
    try unchanged(graph) { try refuses(code, what, operation) }
  }

  /// Notes what an operation changed in the graph.
  @discardableResult
  func unchanged<Result>(_ graph: any ObjectGraph, _ operation: () throws -> Result) throws -> Result {
    let before = try GraphSnapshot(graph)
    let result = try operation()
    failures += try GraphSnapshot(graph).differences(from: before)
    return result
  }

  /// Notes what a clone changed of the objects that were there.
  @discardableResult
  func keepsOriginals<Result>(_ graph: any ObjectGraph, _ operation: () throws -> Result) throws -> Result {
    let before = try GraphSnapshot(graph)
    let result = try operation()
    failures += try GraphSnapshot(graph).changedOriginals(since: before, model: graph.model)
    return result
  }
}

// MARK: - Short forms for models and graphs

func attribute(
  _ name: String, _ type: AttributeType = .string, optional: Bool = true,
  default defaultValue: AttributeValue? = nil, _ userInfo: [String: String] = [:], column: String? = nil
) -> AttributeDescription {
  AttributeDescription(
    name: name, type: type, isOptional: optional, defaultValue: defaultValue, userInfo: userInfo,
    column: column)
}

func attribute(_ name: String, _ userInfo: [String: String]) -> AttributeDescription {
  attribute(name, .string, userInfo)
}

func one(
  _ name: String, _ destination: String, inverse: String? = nil, optional: Bool = true,
  delete: DeleteRule = .nullify, _ userInfo: [String: String] = [:]
) -> RelationshipDescription {
  RelationshipDescription(
    name: name, destination: destination, isOptional: optional, inverse: inverse, deleteRule: delete,
    userInfo: userInfo)
}

func many(
  _ name: String, _ destination: String, inverse: String? = nil, ordered: Bool = false,
  delete: DeleteRule = .nullify, _ userInfo: [String: String] = [:], join: JoinTableDescription? = nil
) -> RelationshipDescription {
  RelationshipDescription(
    name: name, destination: destination, isToMany: true, isOrdered: ordered, inverse: inverse,
    deleteRule: delete, userInfo: userInfo, joinTable: join)
}

func entity(
  _ name: String, parent: String? = nil, abstract: Bool = false, _ attributes: [AttributeDescription] = [],
  _ relationships: [RelationshipDescription] = [], unique: [[String]] = []
) -> EntityDescription {
  EntityDescription(
    name: name, parent: parent, isAbstract: abstract, attributes: attributes, relationships: relationships,
    uniquenessConstraints: unique)
}

func model(_ entities: EntityDescription...) throws -> ObjectModel {
  try ObjectModel(name: "Conformance", entities: entities)
}

extension ManagedObject {
  /// The key as `insert` takes it for a to-one relationship.
  var reference: AttributeValue { id.key.parts[0] }

  func text(_ attribute: String) throws -> String {
    try value(attribute).description
  }

  /// The values of an attribute of a relationship's destinations.
  func texts(_ relationship: String, _ attribute: String) throws -> [String] {
    try destinations(relationship).map { try $0.text(attribute) }
  }
}

/// A generator whose UUIDs count up and whose instant stands still: a midnight, which every form of storage can hold.
public func fixedGenerator(now: Date = Date(timeIntervalSinceReferenceDate: 699_926_400)) -> ValueGenerator {
  let counter = Counter()
  return ValueGenerator(
    now: { now },
    uuid: {
      let number = counter.next()
      return UUID(uuidString: "00000000-0000-4000-8000-" + String(format: "%012llX", number))!
    })
}

private final class Counter: @unchecked Sendable {
  // The lock guards `value`, which is all there is.
  private let lock = NSLock()
  private var value: UInt64 = 0

  func next() -> UInt64 {
    lock.withLock {
      value += 1
      return value
    }
  }
}
