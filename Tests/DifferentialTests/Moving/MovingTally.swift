import Testing

/// Bounds for how cases end: most must come to something, or the comparison proves little, and few are left out.
func checkMoves(
  _ counts: Tally.Counts, _ ways: [MovingWay] = MovingWay.withinOneKind,
  refused: ClosedRange<Double> = 0...0.5
) {
  for way in MovingWay.available(ways) {
    let (done, refusals) = (counts["\(way) done"], counts["\(way) refused"])
    let all = Double(done + refusals + counts["\(way) not in memory"])
    #expect(Double(done) > all * (1 - refused.upperBound) * 0.8, "\(counts)")
    #expect(refused.contains(Double(refusals) / all), "\(counts)")
    #expect(Double(counts["\(way) not in memory"]) < all / 4, "\(counts)")
    #expect(Double(counts["\(way) dry"]) > all / 3, "\(counts)")
  }
}
