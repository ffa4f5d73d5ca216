/// Breaks one rule on purpose, so that tests can show that they would find it broken.
///
/// ```swift
/// try Sabotage.$current.withValue(.dropsLinks) { try Cloner().clone(object: note) }
/// ```
package enum Sabotage: String, Sendable, CaseIterable {
  /// Skips every relationship that leads back to the entity an object came from, not the inverse alone.
  case comparesEntities
  case copiesExcluded
  case dropsLinks
  case clonesShared
  case dropsRebuild
  case ignoresFollowParent
  case ignoresRequestValues
  /// References inside the closure find no clone.
  case forgetsIdentity
  case reversesOrder

  @TaskLocal package static var current: Sabotage?

  static func isOn(_ sabotage: Sabotage) -> Bool {
    current == sabotage
  }
}
