/// The claims on one column of a table, where a conflict is found without comparing each claim with each.
///
/// Claims alike in kind, type and foreign key differ only by whether their entities are related, so of these the first of each
/// entity, and the first below it, represent all.
struct TakenColumn {
  private struct Likeness: Hashable {
    var kind: ColumnClaim.Kind
    var type: AttributeType?
    var foreignKey: [String]

    init(_ claim: ColumnClaim) {
      kind = claim.kind
      type = claim.type
      foreignKey = claim.foreignKey
    }
  }

  private struct Place: Hashable {
    var likeness: Likeness
    var entity: String
  }

  private var claims: [ColumnClaim] = []
  private var alike: [Likeness: [Int]] = [:]
  private var firstOf: [Place: Int] = [:]
  private var firstBelow: [Place: Int] = [:]

  /// The first claim that may not share the column with another one.
  ///
  /// - Parameter lineage: the claim's entity and those it inherits from.
  func conflict(
    with claim: ColumnClaim, lineage: [String], mayShare: (ColumnClaim) -> Bool
  ) -> ColumnClaim? {
    let likeness = Likeness(claim)
    let related =
      lineage.compactMap { firstOf[Place(likeness: likeness, entity: $0)] }
      + [firstBelow[Place(likeness: likeness, entity: claim.entity)]].compactMap { $0 }
    let unlike = alike.filter { $0.key != likeness }.values.compactMap { places in
      places.first { !mayShare(claims[$0]) }
    }
    return (related.filter { !mayShare(claims[$0]) } + unlike).min().map { claims[$0] }
  }

  mutating func add(_ claim: ColumnClaim, lineage: [String]) {
    let likeness = Likeness(claim)
    alike[likeness, default: []].append(claims.count)
    Self.note(Place(likeness: likeness, entity: claim.entity), number: claims.count, in: &firstOf)
    for ancestor in lineage.dropFirst() {
      Self.note(Place(likeness: likeness, entity: ancestor), number: claims.count, in: &firstBelow)
    }
    claims.append(claim)
  }

  private static func note(_ place: Place, number: Int, in firsts: inout [Place: Int]) {
    if firsts[place] == nil { firsts[place] = number }
  }
}
