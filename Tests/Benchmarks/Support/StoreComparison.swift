/// Works on a store, side by side: each run has a fresh copy of the same file.
struct StoreComparison {
  let scratch: Scratch
  let path: String
  var copies = 1

  /// One run on a fresh copy, and a look at what it left.
  func verify(_ work: Work, _ check: (String, String) throws -> Void) throws {
    try verify(contender(work), work.name, check)
  }

  func verify(
    _ contender: Contender, _ name: String, _ check: (String, String) throws -> Void
  ) throws {
    Console.note("  verifying \(name)")
    let copy = try scratch.copy(of: path)
    _ = try contender(copy)
    try check(copy, name)
    scratch.remove(copy)
  }

  /// Seconds of each work, in turn.
  func time(_ works: [Work], runs: Int) throws -> [Samples] {
    Console.note("  timing \(works.map(\.name).joined(separator: ", "))")
    return try alternate(runs, works.map { work in { try onCopy(contender(work)) } })
  }

  /// Something that works on a store and is measured.
  typealias Contender = (String) throws -> Double

  func contender(_ work: Work) -> Contender {
    { try work.measured(WorkInput(path: $0, copies: copies)) }
  }

  func onCopy(_ contender: Contender) throws -> Double {
    let copy = try scratch.copy(of: path)
    defer { scratch.remove(copy) }
    return try contender(copy)
  }
}
