/// How the positions of ordered lists are counted.
package struct ListPositions: Sendable, Equatable {
  /// What stands for the end of an empty list.
  package var start: Int
  /// The distance from one position to the next.
  package var step: Int

  /// 1, 2, 3.
  package static let counted = ListPositions(start: 0, step: 1)
  /// 2048, 3072, 4096: Core Data leaves room between its ordering keys.
  package static let coreData = ListPositions(start: 1024, step: 1024)

  /// The position of a place in a list.
  package subscript(place: Int) -> Int { start + step * (place + 1) }

  /// The position in a list that was empty.
  ///
  /// - Parameter distance: from the end of that list.
  package func first(_ distance: String) -> String { start == 0 ? distance : "\(start) + \(distance)" }

  /// The distance of a position from the end of its list.
  ///
  /// - Parameter rank: SQL that counts the new members from 1.
  package func distance(_ rank: String) -> String { step == 1 ? rank : "\(step) * (\(rank))" }
}
