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
  ///
  /// - Returns: the seconds that count.
  func measured(_ input: WorkInput) throws -> Double {
    try number(Child(Program.benchmarks, arguments(input)).output, from: name)
  }

  func arguments(_ input: WorkInput) -> [String] {
    ["run-work", name, "--path", input.path, "--size", "\(input.size)", "--copies", "\(input.copies)"]
  }
}

/// What a work is given.
struct WorkInput: Sendable {
  /// The store, where the work needs one.
  var path = ""
  /// How many objects, where the work makes its own.
  var size = 0
  /// How many clones.
  var copies = 1
}

/// The number that a child process printed last.
func number(_ output: String, from name: String) throws -> Double {
  guard let number = Double(output.split(separator: "\n").last ?? "") else {
    throw BenchmarkError("\(name) said '\(output)' instead of a number")
  }
  return number
}

/// What a child process of the report runs.
struct RunWork: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "run-work", shouldDisplay: false)

  @Argument var name: String
  @Option var path: String
  @Option var size: Int
  @Option var copies: Int

  func run() throws {
    guard let work = Work.all.first(where: { $0.name == name }) else {
      throw ValidationError("there is no work '\(name)'")
    }
    let duration = try work.run(WorkInput(path: path, size: size, copies: copies))
    Console.print(String(duration.seconds))
  }
}
