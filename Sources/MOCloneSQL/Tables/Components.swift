/// The nodes of a directed graph, those that lead to each other together, what leads to others before them; among those
/// that can be next, the one with the least node comes first.
struct Components {
  let ordered: [[Int]]

  init(count: Int, edges: [(from: Int, to: Int)]) {
    var next = [[Int]](repeating: [], count: count)
    for edge in edges { next[edge.from].append(edge.to) }
    let numbers = Self.numbers(next)
    var members = [[Int]](repeating: [], count: (numbers.max() ?? -1) + 1)
    for node in 0..<count { members[numbers[node]].append(node) }
    // How many edges lead to each from what has not come yet.
    var waiting = Array(repeating: 0, count: members.count)
    for edge in edges where numbers[edge.from] != numbers[edge.to] { waiting[numbers[edge.to]] += 1 }
    // The next one is the last.
    var ready = members.indices.filter { waiting[$0] == 0 }.sorted { members[$0][0] > members[$1][0] }
    var ordered: [[Int]] = []
    while let number = ready.popLast() {
      ordered.append(members[number])
      for node in members[number].flatMap({ next[$0] }) where numbers[node] != number {
        let other = numbers[node]
        waiting[other] -= 1
        guard waiting[other] == 0 else { continue }
        let place = ready.firstIndex { members[$0][0] < members[other][0] }
        ready.insert(other, at: place ?? ready.endIndex)
      }
    }
    self.ordered = ordered
  }

  /// The number of each node's component: what leads to a node that a search left last, and was left before it, is led to
  /// from there too.
  private static func numbers(_ next: [[Int]]) -> [Int] {
    var back = [[Int]](repeating: [], count: next.count)
    for (node, others) in next.enumerated() {
      for other in others { back[other].append(node) }
    }
    var numbers = Array(repeating: -1, count: next.count)
    var number = 0
    for start in left(next).reversed() where numbers[start] < 0 {
      numbers[start] = number
      var pending = [start]
      while let node = pending.popLast() {
        for other in back[node] where numbers[other] < 0 {
          numbers[other] = number
          pending.append(other)
        }
      }
      number += 1
    }
    return numbers
  }

  /// The nodes in the order in which a search in depth leaves them.
  private static func left(_ next: [[Int]]) -> [Int] {
    var left: [Int] = []
    var isSeen = Array(repeating: false, count: next.count)
    for start in next.indices where !isSeen[start] {
      isSeen[start] = true
      var path = [(node: start, step: 0)]
      while let (node, step) = path.last {
        guard step < next[node].count else {
          left.append(node)
          path.removeLast()
          continue
        }
        path[path.count - 1].step += 1
        let other = next[node][step]
        guard !isSeen[other] else { continue }
        isSeen[other] = true
        path.append((node: other, step: 0))
      }
    }
    return left
  }
}
