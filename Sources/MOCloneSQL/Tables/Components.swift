/// The nodes of a directed graph, those that lead to each other together, what leads to others before them.
struct Components {
  let ordered: [[Int]]

  init(count: Int, edges: [(from: Int, to: Int)]) {
    var reaches = [[Bool]](repeating: [Bool](repeating: false, count: count), count: count)
    for edge in edges { reaches[edge.from][edge.to] = true }
    for middle in 0..<count {
      for from in 0..<count where reaches[from][middle] {
        for to in 0..<count where reaches[middle][to] { reaches[from][to] = true }
      }
    }
    var rest = Array(0..<count)
    var ordered: [[Int]] = []
    while let first = rest.first(where: { node in
      !rest.contains { reaches[$0][node] && !reaches[node][$0] }
    }) {
      let members = rest.filter { $0 == first || (reaches[first][$0] && reaches[$0][first]) }
      ordered.append(members)
      rest.removeAll { members.contains($0) }
    }
    self.ordered = ordered
  }
}
