import Testing

@testable import MOCloneSQL

@Suite struct ComponentTests {
  @Test(arguments: UInt64(0)..<200)
  func nodesThatLeadToEachOtherStandTogetherAndBehindWhatLeadsToThem(seed: UInt64) {
    // A linear congruential generator does for graphs.
    var state = seed
    func random(_ count: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % count
    }
    let count = 1 + random(12)
    let edges = (0..<random(2 * count + 1)).map { _ in (from: random(count), to: random(count)) }
    var reaches = [[Bool]](repeating: [Bool](repeating: false, count: count), count: count)
    for edge in edges { reaches[edge.from][edge.to] = true }
    for middle in 0..<count {
      for from in 0..<count where reaches[from][middle] {
        for to in 0..<count where reaches[middle][to] { reaches[from][to] = true }
      }
    }
    var (rest, expected) = (Array(0..<count), [[Int]]())
    while let first = rest.first(where: { node in
      !rest.contains { reaches[$0][node] && !reaches[node][$0] }
    }) {
      let members = rest.filter { $0 == first || (reaches[first][$0] && reaches[$0][first]) }
      expected.append(members)
      rest.removeAll { members.contains($0) }
    }
    #expect(Components(count: count, edges: edges).ordered == expected)
  }

  @Test(.timeLimit(.minutes(1)))
  func aChainOfTenThousandNodesIsOrdered() {
    let edges = (1..<10_000).map { (from: $0, to: $0 - 1) }
    #expect(Components(count: 10_000, edges: edges).ordered == (0..<10_000).reversed().map { [$0] })
  }
}
