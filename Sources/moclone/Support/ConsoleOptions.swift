import ArgumentParser

/// When a report is in colours.
enum ColorChoice: String, ExpressibleByArgument, CaseIterable {
  case auto, always, never
}

/// How much every command says on standard error, and in which colours.
struct ConsoleOptions: ParsableArguments {
  @Flag(name: .shortAndLong, help: "Also prints details on standard error, such as the files in use.")
  var verbose = false

  @Flag(help: "Prints only results and errors.")
  var quiet = false

  @Option(help: "When to print colors: auto (on a terminal), always or never.")
  var color = ColorChoice.auto

  var settings: Console.Settings { Console.Settings(isVerbose: verbose, isQuiet: quiet, color: color) }

  func validate() throws {
    if verbose, quiet {
      throw ValidationError("'--verbose' and '--quiet' contradict each other; pass one of them")
    }
  }
}

/// A command that does something: each one takes the console's options.
protocol RunnableCommand: ParsableCommand {
  var console: ConsoleOptions { get }
}
