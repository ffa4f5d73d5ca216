/// Works on a store, side by side: each run has a fresh copy of the same file.
struct StoreComparison {
  let scratch: Scratch
  let path: String
  let size: Int

  /// One run on a fresh copy, and a look at what it left.
  func verify(_ work: Work, _ check: (String) throws -> Void) throws {
    Console.note("  verifying \(work.name)")
    let copy = try scratch.copy(of: path)
    _ = try work.measured(WorkInput(path: copy, size: size))
    try check(copy)
    scratch.remove(copy)
  }

  /// Seconds of each work, in turn.
  func time(_ works: [Work], runs: Int) throws -> [Samples] {
    try measure(works, runs: runs) { $0.seconds }
  }

  func peaks(_ works: [Work], runs: Int) throws -> [Samples] {
    try measure(works, runs: runs) { $0.peakBytes }
  }

  private func measure(
    _ works: [Work], runs: Int, _ value: @escaping ((seconds: Double, peakBytes: Double)) -> Double
  ) throws -> [Samples] {
    Console.note("  timing \(works.map(\.name).joined(separator: ", ")), \(runs) runs each")
    return try alternate(
      runs,
      works.map { work in
        {
          let copy = try scratch.copy(of: path)
          defer { scratch.remove(copy) }
          return try value(work.measured(WorkInput(path: copy, size: size)))
        }
      })
  }
}
