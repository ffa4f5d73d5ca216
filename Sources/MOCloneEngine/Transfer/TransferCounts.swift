/// What a transfer did, as its report counts it.
struct TransferCounts {
  private let operation: TransferReport.Operation
  private var created: [String: Int] = [:]
  private var cloned: [String: Int] = [:]
  private var joined: [String: Int] = [:]
  private var found: [MemoryObject: (entity: String, isChanged: Bool)] = [:]
  /// Existing objects that took over a value.
  var filled: Set<MemoryObject> = []
  /// New pairs, and in a copy new references of existing objects, by relationship.
  var linked: [String: Int] = [:]

  init(_ policy: TransferPolicy) { operation = policy.operation }

  mutating func add(made entity: String, isMember: Bool) {
    created[entity, default: 0] += 1
    if isMember { cloned[entity, default: 0] += 1 }
  }

  /// A row of which another one stands for the object.
  mutating func add(joined entity: String) { joined[entity, default: 0] += 1 }

  mutating func add(row object: MemoryObject, _ entity: String, isMade: Bool, isChanged: Bool) {
    if !isMade { found[object] = (entity, isChanged) }
  }

  /// Whether references of existing objects are counted, and not the objects that they change.
  var countsReferences: Bool { [.copy, .seed, .clone].contains(operation) }

  func report(isDryRun: Bool) -> TransferReport {
    var report = TransferReport(operation, isDryRun: isDryRun)
    if countsReferences { (report.created, report.found) = ([:], [:]) }
    for (entity, count) in created { report.add(count, entity, to: \.created) }
    for (entity, count) in cloned { report.add(count, entity, to: \.cloned) }
    for (entity, count) in joined { report.add(count, entity, to: \.merged) }
    for (object, (entity, isChanged)) in found {
      if operation != .sync { report.add(1, entity, to: \.found) }
      if countsReferences {
        if filled.contains(object) { report.add(1, entity, to: \.updated) }
      } else {
        report.add(1, entity, to: isChanged ? \.updated : \.unchanged)
      }
    }
    for (name, count) in linked { report.add(count, name, to: \.linked) }
    return report
  }
}
