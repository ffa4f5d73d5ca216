import MOCloneEngine
import MOCloneModel

extension Violation {
  /// The graph after the clone as a flowchart of Mermaid: the originals, the clones, and the objects that the event is about in red.
  public var mermaid: String {
    let names = SampleNames(before: before, clones: clones)
    let graph = after ?? before
    let existed = Set(before.objects.map(\.id))
    let originals = graph.objects.filter { existed.contains($0.id) }
    let copies = graph.objects.filter { !existed.contains($0.id) }
    let lines =
      ["%% \(message.asSentence().singleLine)", "flowchart LR"]
      + subgraph("originals", title: "before", objects: originals, names: names)
      + (copies.isEmpty
        ? [] : subgraph("clones", title: "the clone of \(names[root])", objects: copies, names: names))
      + graph.links.map { "  o\($0.source) -- \(name($0)) --> o\($0.destination)" }
      + ["  classDef involved stroke:#d00,stroke-width:3px"]
      + (objects.isEmpty ? [] : ["  class \(objects.map { "o\($0)" }.joined(separator: ",")) involved"])
    return lines.joined(separator: "\n") + "\n"
  }

  private func subgraph(
    _ id: String, title: String, objects: [SampleGraph.Object], names: SampleNames
  ) -> [String] {
    ["  subgraph \(id)[\"\(title.quotedForMermaid)\"]"]
      + objects.map { "    o\($0.id)[\"\(names[$0.id].quotedForMermaid)\"]" } + ["  end"]
  }

  private func name(_ link: SampleGraph.Link) -> String {
    "\"\((link.relationship.split(separator: ".").last.map(String.init) ?? "").quotedForMermaid)\""
  }
}

extension String {
  /// Names of models are plain words, but nothing in the format says so.
  fileprivate var quotedForMermaid: String {
    replacing("&", with: "#amp;").replacing("\"", with: "#quot;").replacing("<", with: "#lt;").singleLine
  }

  fileprivate var singleLine: String { replacing("\n", with: " ").replacing("\r", with: " ") }
}
