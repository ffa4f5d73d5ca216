import ArgumentParser

/// One thing to measure. It runs in a process of its own, which no earlier run has warmed, filled or fragmented.
struct Work: Sendable {
  let name: String
  /// Does the work and says how long the part of it took that counts.
  let run: @Sendable (WorkInput) throws -> Duration

  /// A work that counts from its first to its last instruction.
  init(_ name: String, _ body: @escaping @Sendable (WorkInput) throws -> Void) {
    self.init(name: name) { input in
      try ContinuousClock().measure { try body(input) }
    }
  }

  init(name: String, run: @escaping @Sendable (WorkInput) throws -> Duration) {
    self.name = name
    self.run = run
  }

  /// Runs in a child process.
  func measured(_ input: WorkInput) throws -> (seconds: Double, peakBytes: Double) {
    let child = try Child(Program.benchmarks, ["run-work", name, input.path, String(input.size)])
    guard let seconds = Double(child.output.split(separator: "\n").last ?? "") else {
      throw BenchmarkError("\(name) said '\(child.output)' instead of a time")
    }
    return (seconds, child.peakBytes)
  }
}

/// What a work is given: a store where it needs one, and a number that says how much there is to do.
struct WorkInput: Sendable {
  var path = ""
  var size = 0
}

/// What a child process of the report runs.
struct RunWork: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run-work", shouldDisplay: false)

  @Argument var name: String
  @Argument var path: String
  @Argument var size: Int

  func run() throws {
    guard let work = Work.all.first(where: { $0.name == name }) else {
      throw ValidationError("there is no work '\(name)'")
    }
    Console.print(String(try work.run(WorkInput(path: path, size: size)).seconds))
  }
}
