import ArgumentParser

/// Measures moclone beside rivals written by hand, and prints what it measured as a Markdown table.
@main
struct Benchmarks: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "Benchmarks",
    abstract: "Measures moclone beside rivals written by hand; prints a Markdown table.",
    discussion: "Each result is verified before it is timed; runs alternate, each in a process of its own.",
    subcommands: [Report.self, RunWork.self, PeakOf.self], defaultSubcommand: Report.self)
}
