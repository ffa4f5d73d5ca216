import MOCloneModel

extension ClonePlan {
  /// Plans of more access paths than this nobody reads to the end.
  private static let mostNodes = 200

  /// The plan for people: whole, or where it has more than 200 access paths the roots and one line for each entity.
  package var summary: String {
    guard nodes.count > Self.mostNodes else { return description }
    let below = Dictionary(grouping: nodes[rootCount...], by: \.entity)
    let names = entities.filter { below[$0] != nil }
    let width = names.map(\.count).max() ?? 0
    let lines = names.map { "  \($0.padded(to: width))  \(line(below[$0]!))" }
    let title = "\(nodes.count) access paths, by entity (--all shows each of them)"
    return roots.map(describe).joined(separator: "\n\n") + "\n\n" + ([title] + lines).joined(separator: "\n")
  }

  private func line(_ nodes: [PlanNode]) -> String {
    let ways = nodes.compactMap { $0.accessPath?.qualifiedName }
    let named = ways.prefix(3).joined(separator: ", ") + (ways.count > 3 ? ", ..." : "")
    // Nothing is to be done for the way back.
    let words: [(RelationshipRule, String)] = [
      (.clone, "clones"), (.link, "links"), (.exclude, "leaves out"),
    ]
    let rules = words.compactMap { rule, word -> String? in
      let names = Set(
        nodes.flatMap { $0.relationships.lazy.filter { $0.rule == rule }.map(\.relationship.name) })
      return names.isEmpty
        ? nil : "\(word) \(names.count == 1 ? names.first! : "\(names.count) relationships")"
    }
    let count = ways.count == 1 ? "1 relationship" : "\(ways.count) relationships"
    return "over \(count) (\(named))" + (rules.isEmpty ? "" : ": \(rules.joined(separator: ", "))")
  }
}
