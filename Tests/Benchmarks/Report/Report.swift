import ArgumentParser
import Foundation

struct Report: ParsableCommand {
  static let configuration = CommandConfiguration(abstract: "Measures and prints the table; the default.")

  @Option(help: "The size: rows of the subtree, and what the other sizes derive from.")
  var rows = 1_000_000

  @Option(help: "How often each side of a comparison runs; more often where a run is short.")
  var runs = 5

  @Option(
    parsing: .upToNextOption,
    help: "Measures these only: \(Section.all.map(\.name).joined(separator: ", ")).")
  var only: [String] = []

  @Option(help: "Where the databases are made; else the temporary folder.")
  var folder: String?

  func validate() throws {
    guard rows >= 100, runs >= 1 else { throw ValidationError("at least 100 rows and 1 run") }
    for name in only where !Section.all.contains(where: { $0.name == name }) {
      throw ValidationError("there is no '\(name)' to measure")
    }
  }

  func run() throws {
    let scratch = try Scratch(in: folder)
    let setting = Setting(rows: rows, runs: runs, scratch: scratch)
    Console.print(Machine.description(command: CommandLine.arguments.dropFirst()))
    Console.print(TableRow.heading)
    for section in Section.all where only.isEmpty || only.contains(section.name) {
      for row in try section.measure(setting) { Console.print(row.markdown) }
    }
  }
}

/// What every section is given.
struct Setting {
  let rows: Int
  let runs: Int
  let scratch: Scratch

  /// Makes a store, unless an earlier section has made it.
  func store(_ name: String, _ make: (String) throws -> Void) throws -> StoreComparison {
    let path = scratch.path(name)
    if !FileManager.default.fileExists(atPath: path) { try make(path) }
    return StoreComparison(scratch: scratch, path: path)
  }
}

/// A group of rows of the table.
struct Section: Sendable {
  let name: String
  let measure: @Sendable (Setting) throws -> [TableRow]
}
