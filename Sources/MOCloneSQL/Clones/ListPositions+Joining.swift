import MOCloneModel

extension ListPositions {
  /// The position of a row that joins a list: in a new list by its rank, in one that was there behind its end. That is found
  /// for the first row of each list only, since it may take a look at all members.
  ///
  /// - Parameters:
  ///   - rank: counts the rows of each list from 1.
  ///   - list: what the rows of a list share.
  ///   - end: finds the greatest position in a list that was there.
  func position(rank: String, in list: [String], isNew: Condition, end: String) -> String {
    let isFirst: Condition = !isNew && .sql("\(rank) = 1")
    let last = "max(CASE WHEN \(isFirst.text) THEN \(end) END) OVER (PARTITION BY \(list.list))"
    return isNew.choose(first(distance(rank)), else: "\(last) + \(distance(rank))")
  }
}
