import MOCloneKit
import MOCloneTesting
import Testing

/// Where the operations are known not to follow the rules. Each is imitated by the reference, and a case that comes to just
/// what the imitation comes to is counted and no failure; few cases are only roughly explained, and they are bounded.
enum KnownFault: String, CaseIterable {
  /// A new object can get a key that dangling references of the target hold: they then lead to a stranger.
  case newKeysMeetDanglingReferences
  /// Copied members keep the source's positions: null and negative ones come before what the list held, equal ones in
  /// the order of the keys.
  case listsKeepPositions
  /// A trigger of the store ignores the change of a row, and the operation does not notice.
  case updatesIgnoredByTriggersPass
  /// Which of two one-to-one objects stays, as their owners are merged, is not always the better one.
  case mergedPartners
  /// A merge sets the date of change of a row in which nothing else changes (seed 292).
  case mergesTouchUnchangedRows
  /// With foreign keys on, a row that holds a dangling reference already cannot be filled or merged.
  case danglingRowsAreRefused
  /// The report of an import counts objects by the entity that the mapping names, not by their own.
  case importsCountTheMappedEntity
  /// The report of a sync counts objects that went with another one, by a cascade, as updated or unchanged.
  case syncsCountWhatCascadesDelete
  /// A copy does not count numbers within the other parts of a key: it is refused for keys that are taken.
  case copiesDoNotCountWithinATenant
  /// A sync does not count numbers within the other parts of a key: it is refused.
  case syncsDoNotCountWithinATenant
  /// A copy leaves references of objects that exist alone that share a part of the key, empty ones, too.
  case sharedReferencesOfExistingRowsStay
  /// A sync whose scope is an object with a UUID in a blob finds none of its objects, and makes new ones that belong to
  /// nobody.
  case scopesMissKeysInBlobs
}

extension KnownFault {
  /// Whether a fault that is not imitated in all its consequences can come to these differences.
  func roughlyExplains(_ differences: [String], _ before: StorePicture) -> Bool {
    switch self {
    case .newKeysMeetDanglingReferences:
      before.hasDanglingReferences
        && (differences.allSatisfy {
          $0.contains(" cover[") || $0.contains("UNIQUE constraint failed: board_tag")
        }
          || differences.contains { $0.contains("report's created") })
    case .mergedPartners: differences.contains { $0.contains("cover") || $0.contains(" board[") }
    case .mergesTouchUnchangedRows: differences.allSatisfy { $0.contains(".modified = ") }
    default: false
    }
  }

  /// Whether it makes a report count otherwise.
  func explains(count line: String) -> Bool {
    switch self {
    case .importsCountTheMappedEntity: line.contains(" of Note:") || line.contains(" of LongNote:")
    case .syncsCountWhatCascadesDelete: line.contains(" updated of ") || line.contains(" unchanged of ")
    case .updatesIgnoredByTriggersPass: line.contains(" updated of ") || line.contains(" linked of ")
    default: false
    }
  }
}

/// Which faults the reference imitates.
struct Imitation {
  var faults: Set<KnownFault> = []
  /// What the operation left.
  var found: StorePicture?
  var mark: String?

  func has(_ fault: KnownFault) -> Bool { faults.contains(fault) }

  /// A target whose new objects get the keys that they got, where these may be strangers to what was there.
  func keyed(_ target: StorePicture) -> StorePicture {
    guard has(.newKeysMeetDanglingReferences), let found, let mark else { return target }
    return target.takingKeys(from: found, named: mark)
  }
}

/// A fault that no case meets any more is to be taken off the list.
func checkFaults(_ counts: Tally.Counts, _ faults: [KnownFault]) {
  for fault in faults { #expect(counts["\(fault)"] > 0, "the fault '\(fault)' is gone: \(counts)") }
}

/// Bounds for how cases end: most must come to something, or the comparison proves little; few meet a known fault, and
/// few are left out.
func checkMoves(_ counts: Tally.Counts, meeting faults: KnownFault..., refused: ClosedRange<Double> = 0...0.5)
{
  checkFaults(counts, faults)
  let known = KnownFault.allCases.reduce(0) { $0 + counts["\($1)"] }
  for executor in Executor.allCases {
    let (done, refusals) = (counts["\(executor) done"], counts["\(executor) refused"])
    let all = Double(done + refusals + counts["\(executor) not in memory"])
    #expect(Double(done) > all * (1 - refused.upperBound) * 0.8, "\(counts)")
    #expect(refused.contains(Double(refusals) / all), "\(counts)")
    #expect(Double(counts["\(executor) not in memory"]) < all / 5, "\(counts)")
    #expect(Double(counts["\(executor) dry"]) > all / 3, "\(counts)")
    #expect(Double(known) < all / 2, "\(counts)")
    #expect(Double(counts["roughly"]) < all / 40, "\(counts)")
  }
}
