import MOCloneModel

/// Why the rules refuse an operation, with everything that was found.
public struct ReferenceRefusal: Error, CustomStringConvertible {
  public private(set) var reasons: [(code: DiagnosticCode, text: String)] = []

  public init() {}

  /// A refusal for one reason.
  public init(_ code: DiagnosticCode, _ text: String) { add(code, text) }

  mutating func add(_ code: DiagnosticCode, _ text: String) { reasons.append((code, text)) }

  func throwIfAny() throws {
    if !reasons.isEmpty { throw self }
  }

  /// Of several reasons each executor may meet another one first; a database tells some of them by its constraints.
  public func allows(_ code: DiagnosticCode) -> Bool {
    let ofRows: Set<DiagnosticCode> = [
      .uniqueValue, .constraintFailed, .requiredLeftEmpty, .invalidValue, .badRow,
    ]
    return reasons.contains { $0.code == code || (ofRows.contains($0.code) && ofRows.contains(code)) }
  }

  public var description: String { reasons.map { "\($0.code.rawValue): \($0.text)" }.joined(separator: "; ") }
}
