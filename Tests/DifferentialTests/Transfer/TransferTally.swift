import Testing

/// Bounds for how cases end: most must come to something, or the comparison proves little, and few are left out.
func checkMoves(
  _ counts: Tally.Counts, _ ways: [TransferWay] = TransferWay.withinOneKind,
  refused: ClosedRange<Double> = 0...0.5
) {
  for way in TransferWay.available(ways) {
    let (done, refusals) = (counts["\(way) done"], counts["\(way) refused"])
    let all = Double(done + refusals + counts["\(way) not in memory"])
    // Few cases stray further.
    let stray = all.squareRoot()
    #expect(done > 0 && Double(done) > all * (1 - refused.upperBound) * 0.8 - stray, "\(counts)")
    #expect(Double(refusals) < all * refused.upperBound + stray, "\(counts)")
    #expect(Double(refusals) > all * refused.lowerBound - stray, "\(counts)")
    #expect(Double(counts["\(way) not in memory"]) < all / 4 + stray, "\(counts)")
    #expect(Double(counts["\(way) dry"]) > all / 3 - stray, "\(counts)")
  }
}
