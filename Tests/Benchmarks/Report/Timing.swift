/// The values of repeated runs.
struct Samples {
  private(set) var values: [Double] = []

  mutating func add(_ value: Double) {
    values.append(value)
  }

  var median: Double {
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  var spread: String {
    "\(Unit.time(values.min()!)) - \(Unit.time(values.max()!))"
  }
}

/// Runs each contender in turn, again and again, so that whatever else the machine does hits all of them.
func alternate(_ runs: Int, _ contenders: [() throws -> Double]) throws -> [Samples] {
  var samples = contenders.map { _ in Samples() }
  for _ in 0..<runs {
    for (i, contender) in contenders.enumerated() { samples[i].add(try contender()) }
  }
  return samples
}

extension Duration {
  var seconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }
}
