import ArgumentParser

/// The peak memory of a program, seen from a process that is small itself.
enum Peak {
  static func bytes(_ program: String, _ arguments: [String]) throws -> Double {
    try number(Child(Program.benchmarks, ["peak-of", program] + arguments).output, from: program)
  }
}

/// Runs a program and prints its peak: the report itself has made and checked stores, and would count for its child.
struct PeakOf: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "peak-of", shouldDisplay: false)

  @Argument var program: String
  @Argument(parsing: .captureForPassthrough) var arguments: [String] = []

  func run() throws {
    Console.print(String(try Child(program, arguments).peakBytes))
  }
}
