import MOCloneEngine
import MOCloneModel

/// One clone that was made, beside what its plan promised.
struct TrialOutcome {
  let root: SampleGraph.Object
  let plans: TrialPlans
  let before: SampleGraph
  let after: SampleGraph
  let result: CloneResult
  /// The numbers of the clones by those of their originals.
  let clones: [Int: Int]
  let closure: SampleClosure
  let names: SampleNames
  private let originals: [Int: Int]
  private let existed: Set<Int>
  private let owners: Set<Int>

  init(
    root: SampleGraph.Object, plan: ClonePlan, plans: TrialPlans, before: SampleGraph, after: SampleGraph,
    result: CloneResult, clones: [Int: Int]
  ) {
    self.root = root
    self.plans = plans
    self.before = before
    self.after = after
    self.result = result
    self.clones = clones
    closure = SampleClosure(of: root, by: plan, in: before, plans.model)
    names = SampleNames(before: before, clones: clones)
    originals = Dictionary(clones.map { ($1, $0) }) { first, _ in first }
    existed = Set(before.objects.map(\.id))
    var owners = SampleOwners(before, in: plans.model, by: plans.model.owning)
    self.owners = owners.all(of: root.id)
  }

  /// Everything that is wrong, the gravest first.
  var violations: [Violation] {
    changedOriginals + wrongCounts + openReferences + joinedAggregates + brokenConstraints
  }

  private func violation(
    _ kind: Violation.Kind, code: DiagnosticCode, path: ModelPath, message: String, event: String,
    objects: [Int]
  ) -> Violation {
    Violation(
      kind: kind, code: code, path: path, message: "cloning \(root.entity.withArticle) " + message,
      event: event.asSentence(), root: root.id, objects: objects, before: before, after: after, clones: clones
    )
  }

  // MARK: Originals

  private var changedOriginals: [Violation] {
    let now = Dictionary(uniqueKeysWithValues: after.objects.map { ($0.id, $0) })
    let values = before.objects.flatMap { object in
      object.values.keys.sorted().filter { now[object.id]?.values[$0] != object.values[$0] }.map { name in
        let value = now[object.id]?.values[name].map { "'\($0)'" } ?? "no value"
        return violation(
          .originalChanged, code: .originalChanged,
          path: plans.model.model.path(of: name, entity: object.entity),
          message: "changes '\(name)' of an existing \(object.entity)",
          event: "'\(name)' of \(names[object.id]) is \(value) afterwards", objects: [object.id])
      }
    }
    let kept = Set(after.links)
    let added = after.links.filter { isOld($0.source) && isOld($0.destination) }.subtracting(before.links)
    return values
      + before.links.filter { !kept.contains($0) }.map { changedLink($0, verb: "lost") }
      + added.map { changedLink($0, verb: "gained") }
  }

  private func changedLink(_ link: SampleGraph.Link, verb: String) -> Violation {
    let kind = kind(of: link)
    return violation(
      .originalChanged, code: .originalChanged, path: .relationship(kind.relationship),
      message: "changes '\(kind.relationship.name)' of an existing \(kind.relationship.entity)",
      event: "\(names[link.source]) \(verb) \(names[link.destination]) in '\(kind.relationship.name)'",
      objects: [link.source, link.destination])
  }

  // MARK: Counts

  private var wrongCounts: [Violation] {
    let expected = Dictionary(grouping: closure.objects.compactMap { before[$0]?.entity }) { $0 }
      .mapValues(\.count)
    let made = Dictionary(grouping: after.objects.filter { !isOld($0.id) }.map(\.entity)) { $0 }
      .mapValues(\.count)
    guard made != expected || result.cloned != expected else { return [] }
    return [
      violation(
        .wrongCount, code: .rowCount, path: .entity(root.entity),
        message: "makes other objects than its plan says",
        event: "the plan says \(expected.listed), but there are \(made.listed)", objects: [root.id])
    ]
  }

  // MARK: References

  private var newLinks: [SampleGraph.Link] {
    after.links.filter { isOld($0.source) != isOld($0.destination) }
  }

  /// What objects outside the clone are linked to now.
  var outsideLinks: [OutsideLink] {
    let cloned = Set(closure.objects)
    return newLinks.compactMap { link in
      let (outside, clone) =
        isOld(link.source) ? (link.source, link.destination) : (link.destination, link.source)
      guard !cloned.contains(outside), let original = originals[clone] else { return nil }
      return OutsideLink(names: kind(of: link).names, outside: outside, original: original)
    }
  }

  private var openReferences: [Violation] {
    let cloned = Set(closure.objects)
    return newLinks.filter { cloned.contains($0.source) || cloned.contains($0.destination) }.map { link in
      let kind = kind(of: link)
      return violation(
        .openReference, code: .openReference, path: .relationship(kind.relationship),
        message: "leaves a clone linked to an original that was cloned as well",
        event: "\(names[link.source]) is linked to \(names[link.destination]) by '\(kind.relationship.name)'",
        objects: [link.source, link.destination])
    }
  }

  private var joinedAggregates: [Violation] {
    let cloned = Set(closure.objects)
    return newLinks.compactMap { link in
      let kind = kind(of: link)
      let isSource = isOld(link.source)
      let (owner, member) = isSource ? (link.source, link.destination) : (link.destination, link.source)
      guard let list = isSource ? kind.relationship : kind.inverse,
        plans.model.owning.contains(list.qualifiedName),
        member != clones[root.id], !owners.contains(owner), !cloned.contains(owner),
        let path = originals[member].flatMap({ closure.accessPaths[$0] }), path.reason != .onClone
      else { return nil }
      return violation(
        .joinsAggregate, code: .joinsOtherAggregate, path: .relationship(path.relationship),
        message: "adds '\(list.name)' to existing objects of '\(list.entity)', which own them",
        event: "\(names[owner]), which is not cloned, has \(names[member]) in '\(list.name)' afterwards",
        objects: [owner, member])
    }
  }

  // MARK: Constraints

  private var brokenConstraints: [Violation] {
    SampleFaults(model: plans.model).faults(after).compactMap { fault in
      guard let object = after[fault.object] else { return nil }
      return violation(
        .constraintBroken, code: fault.code,
        path: plans.model.model.path(of: fault.property, entity: object.entity),
        message: fault.consequence(object.entity), event: "\(names[fault.object]) \(fault.event(names))",
        objects: [fault.object])
    }
  }

  func notRepeatable(_ event: String) -> Violation {
    violation(
      .notRepeatable, code: .notRepeatable, path: .entity(root.entity),
      message: "twice does not do the same twice", event: event,
      objects: [root.id])
  }

  private func isOld(_ object: Int) -> Bool { existed.contains(object) }

  private func kind(of link: SampleGraph.Link) -> LinkKind {
    plans.model.kind(of: link)
  }
}

extension [SampleGraph.Link] {
  fileprivate func subtracting(_ others: [SampleGraph.Link]) -> [SampleGraph.Link] {
    let others = Set(others)
    return filter { !others.contains($0) }
  }
}

extension SampleFault {
  fileprivate var code: DiagnosticCode {
    switch kind {
    case .emptyRequired: .requiredLeftEmpty
    case .tooFew, .tooMany: .invalidCount
    case .repeated: .uniqueValue
    case .invalidValue: .invalidValue
    }
  }

  fileprivate func consequence(_ entity: String) -> String {
    switch kind {
    case .emptyRequired: "leaves the required '\(property)' of \(entity.withArticle) empty"
    case .tooFew(let least): "leaves \(entity.withArticle) with fewer than \(least) '\(property)'"
    case .tooMany(let most): "gives \(entity.withArticle) more than \(most) '\(property)'"
    case .repeated(let constraint, _):
      "repeats " + constraint.map { "'\($0)'" }.joined(separator: " and ") + " of \(entity.withArticle)"
    case .invalidValue: "gives '\(property)' of \(entity.withArticle) a value that is not valid"
    }
  }

  fileprivate func event(_ names: SampleNames) -> String {
    switch kind {
    case .emptyRequired: "has no '\(property)' afterwards"
    case .tooFew(let least): "has fewer than \(least) '\(property)' afterwards"
    case .tooMany(let most): "has more than \(most) '\(property)' afterwards"
    case .repeated(_, let holder): "has the same '\(property)' as \(names[holder])"
    case .invalidValue(let reason): "is not valid: \(reason)"
    }
  }
}
