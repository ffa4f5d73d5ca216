/// What a story calls the objects of a graph: `Note 1`, and its clone `the clone of Note 1`.
struct SampleNames {
  private var names: [Int: String] = [:]

  /// - Parameter clones: the numbers of clones by those of their originals.
  init(before: SampleGraph, clones: [Int: Int]) {
    var counts: [String: Int] = [:]
    for object in before.objects {
      counts[object.entity, default: 0] += 1
      names[object.id] = "\(object.entity) \(counts[object.entity]!)"
    }
    for (original, clone) in clones { names[clone] = names[original].map { "the clone of \($0)" } }
  }

  subscript(object: Int) -> String { names[object] ?? "object \(object)" }
}
