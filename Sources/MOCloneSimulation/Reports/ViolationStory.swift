import MOCloneEngine
import MOCloneModel

extension Violation {
  /// The violation as a story: what the graph holds, what is cloned, and what became of it.
  public var story: String {
    guard !before.objects.isEmpty else { return event + "\n" }
    let names = SampleNames(before: before, clones: clones)
    let others = rootEntities.filter { $0 != before[root]?.entity }
    let lines =
      ["Given"] + before.objects.map { "  " + sentence($0, in: before, names: names) }
      + ["When \(names[root]) is cloned"] + made(names) + ["Then", "  " + event]
      + (others.isEmpty ? [] : ["The same was seen for clones of \(others.joined(separator: ", "))."])
    return lines.joined(separator: "\n") + "\n"
  }

  private func made(_ names: SampleNames) -> [String] {
    guard let after else { return [] }
    return clones.values.sorted().compactMap { after[$0] }.map {
      "  makes " + sentence($0, in: after, names: names)
    }
  }

  /// An object with its values, and its links that are told from its side.
  private func sentence(_ object: SampleGraph.Object, in graph: SampleGraph, names: SampleNames) -> String {
    let values = object.values.filter { !$0.value.isNull }.sorted { $0.key < $1.key }.map {
      "\($0.key) '\($0.value.shortened)'"
    }
    var order: [String] = []
    var links: [String: [String]] = [:]
    for link in graph.links where link.source == object.id {
      let name = link.relationship.split(separator: ".").last.map(String.init) ?? link.relationship
      if links[name] == nil { order.append(name) }
      links[name, default: []].append(names[link.destination])
    }
    let parts = values + order.map { "\($0): \(links[$0]!.joined(separator: ", "))" }
    return ([names[object.id]] + (parts.isEmpty ? [] : [parts.joined(separator: ", ")])).joined(
      separator: ": ")
  }
}

extension AttributeValue {
  /// Long values say no more than their beginning.
  fileprivate var shortened: String {
    let text = description
    return text.count > 40 ? text.prefix(37) + "..." : text
  }
}
