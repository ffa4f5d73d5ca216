import Testing

/// Bounds for how cases end: most must come to something, or the comparison proves little, and few are left out.
func checkMoves(_ counts: Tally.Counts, refused: ClosedRange<Double> = 0...0.5) {
  for executor in Executor.allCases {
    let (done, refusals) = (counts["\(executor) done"], counts["\(executor) refused"])
    let all = Double(done + refusals + counts["\(executor) not in memory"])
    #expect(Double(done) > all * (1 - refused.upperBound) * 0.8, "\(counts)")
    #expect(refused.contains(Double(refusals) / all), "\(counts)")
    #expect(Double(counts["\(executor) not in memory"]) < all / 5, "\(counts)")
    #expect(Double(counts["\(executor) dry"]) > all / 3, "\(counts)")
  }
}
