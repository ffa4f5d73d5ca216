import MOCloneModel

extension StagedRows {
  /// Puts what several rows say of one object together, in the first of them.
  ///
  /// Of each value the first row counts; with `update` the last one, and with `fill`, or where rows of several kinds mean
  /// the object, the first one that has a value.
  func fold(_ same: [Int], existing: ExistingPolicy) {
    guard existing != .keep || entity(of: same[0]).isMentioned else { return }
    var folded = rows[same[0]]
    for row in same.dropFirst().map({ rows[$0] }) {
      for (place, value) in row.values.enumerated() {
        guard let value, existing == .update || (folded.values[place] ?? .null).isNull else { continue }
        folded.values[place] = value
      }
      for (place, reference) in row.references.enumerated() {
        guard reference.isGiven, existing == .update || !folded.references[place].isGiven else { continue }
        folded.references[place] = reference
      }
    }
    update(same[0]) { $0 = folded }
  }
}

extension StagedReference {
  var isGiven: Bool { if case .absent = self { false } else { true } }
}

extension StagedRow.Origin: CustomStringConvertible {
  var description: String {
    switch self {
    case .object(let object): object.description
    case .line(let line): "line \(line)"
    }
  }
}
