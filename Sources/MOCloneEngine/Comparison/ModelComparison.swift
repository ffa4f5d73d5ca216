import MOCloneModel

/// Compares the clones of every entity under two models.
struct ModelComparison {
  private let old: ObjectModel
  private let new: ObjectModel
  /// The concrete entities.
  private let before: [String]
  private let after: [String]

  private let renames: [CloneDifference.Change]

  init(old: ObjectModel, new: ObjectModel) {
    let renames = ModelRenames(old: old, new: new)
    let old = renames.renamedOld
    self.renames = renames.changes
    self.old = old
    self.new = new
    before = old.entities.filter { !$0.isAbstract }.map(\.name)
    after = new.entities.filter { !$0.isAbstract }.map(\.name)
  }

  /// The changes, one for each cause.
  func changes() -> [CloneDifference.Change] {
    var found = Grouping()
    let isCommon = Set(before)
    let graphs = GraphPair(old: CloneGraph(old), new: CloneGraph(new))
    let differences = graphs.new.plan.nodes.map { node in
      graphs.old.node(like: node).map { NodeDifference($0, new: node, graphs: graphs) }
    }
    for root in after where isCommon.contains(root) {
      let (was, now) = (graphs.old.roots[root]!, graphs.new.roots[root]!)
      switch (graphs.old.refusal(of: was), graphs.new.refusal(of: now)) {
      case (nil, nil):
        let (was, now) = (ReachedNodes(graphs.old, from: was), ReachedNodes(graphs.new, from: now))
        found.add(
          RootComparison(root: root, old: was, new: now, differences: differences, joins: graphs.joins)
            .changes())
      case (nil, let reason?):
        found.add([refusal(.rootRefused, root: root, before: "can be cloned", after: reason)])
      case (let reason?, nil):
        found.add([refusal(.rootAllowed, root: root, before: reason, after: "can be cloned")])
      default: break
      }
    }
    found.add(renames + unmapped() + entities(changing: found.changes))
    found.add(TightenedData(old: old, new: new).changes(besides: found.changes))
    return found.sorted
  }

  private func refusal(
    _ kind: CloneDifference.Kind, root: String, before: String, after: String
  ) -> CloneDifference.Change {
    CloneDifference.Change(
      kind: kind, subject: root, before: before, after: after,
      roots: [CloneDifference.Root(entity: root, path: [], objects: [])])
  }

  /// What becomes of columns that the model does not name.
  private func unmapped() -> [CloneDifference.Change] {
    let (was, now) = (old.store.unmapped, new.store.unmapped)
    guard was != now else { return [] }
    let kind: CloneDifference.Kind =
      was == .copy ? .noLongerCopied : now == .copy ? .newlyCopied : .ruleChanged
    return [.init(kind: kind, subject: "store.unmapped", before: was.rawValue, after: now.rawValue)]
  }

  /// Entities that went or came, but for those that a change of a relationship names already.
  private func entities(changing changes: [CloneDifference.Change]) -> [CloneDifference.Change] {
    let named = Set(changes.flatMap(\.objects))
    let (had, has) = (Set(before), Set(after))
    func absence(_ name: String, in model: ObjectModel) -> String {
      model.entity(name) == nil ? "not in the model" : "abstract"
    }
    return before.filter { !has.contains($0) && !named.contains($0) }
      .map {
        CloneDifference.Change(
          kind: .entityRemoved, subject: $0, before: "can be cloned", after: absence($0, in: new))
      }
      + after.filter { !had.contains($0) && !named.contains($0) }
      .map {
        CloneDifference.Change(
          kind: .entityAdded, subject: $0, before: absence($0, in: old), after: "can be cloned")
      }
  }
}

/// Gathers changes: those of one cause become one, with all roots that show it.
private struct Grouping {
  private struct Cause: Hashable {
    var kind: CloneDifference.Kind
    var texts: [String]
  }

  private(set) var changes: [CloneDifference.Change] = []
  private var places: [Cause: Int] = [:]

  mutating func add(_ more: [CloneDifference.Change]) {
    for change in more {
      let cause = Cause(kind: change.kind, texts: [change.subject, change.before, change.after])
      if let place = places[cause] {
        changes[place].merge(change.roots)
      } else {
        places[cause] = changes.count
        changes.append(change)
      }
    }
  }

  var sorted: [CloneDifference.Change] {
    let rank = Dictionary(uniqueKeysWithValues: CloneDifference.Kind.allCases.enumerated().map { ($1, $0) })
    return changes.sorted {
      (rank[$0.kind]!, $0.subject, $0.before, $0.after) < (rank[$1.kind]!, $1.subject, $1.before, $1.after)
    }
  }
}

extension CloneDifference.Change {
  /// Of one root the shortest path, which comes first, and the objects of all.
  fileprivate mutating func merge(_ more: [CloneDifference.Root]) {
    for root in more {
      // Roots come one after the other.
      guard let place = roots.indices.last, roots[place].entity == root.entity else {
        roots.append(root)
        continue
      }
      let known = Set(roots[place].objects.map(\.entity))
      roots[place].objects += root.objects.filter { !known.contains($0.entity) }
    }
  }
}
