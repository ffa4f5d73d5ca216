import MOCloneModel

/// Why the rules refuse an operation, with everything that was found.
package struct ReferenceRefusal: Error, CustomStringConvertible {
  package private(set) var reasons: [(code: DiagnosticCode, text: String)] = []

  package init() {}

  /// A refusal for one reason.
  package init(_ code: DiagnosticCode, _ text: String) { add(code, text) }

  mutating func add(_ code: DiagnosticCode, _ text: String) { reasons.append((code, text)) }

  func throwIfAny() throws {
    if !reasons.isEmpty { throw self }
  }

  /// Of several reasons each executor may meet another one first; a database tells some of them by its constraints.
  package func allows(_ code: DiagnosticCode) -> Bool {
    let ofRows: Set<DiagnosticCode> = [
      .uniqueValue, .constraintFailed, .requiredLeftEmpty, .invalidValue, .badRow,
    ]
    return reasons.contains { $0.code == code || (ofRows.contains($0.code) && ofRows.contains(code)) }
  }

  package var description: String {
    reasons.map { "\($0.code.rawValue): \($0.text)" }.joined(separator: "; ")
  }
}
