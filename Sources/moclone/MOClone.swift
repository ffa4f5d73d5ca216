import ArgumentParser
import Foundation
import MOCloneKit

struct MOClone: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moclone",
    abstract: "Copies an object of a database and what belongs to it, by the annotations of a model.",
    usage: """
      moclone ENTITY KEY... [--exclude NAME] [--set NAME=VALUE] [--count N]
      moclone <subcommand>
      """,
    discussion: """
      moclone note 42 --exclude memos   copies a note without its memos
      moclone plan note 42              says what would be copied, and why
      moclone validate Models/Notes.yml checks a model

      Model and store are named by --model and --store, else by MOCLONE_MODEL
      and MOCLONE_STORE, else by moclone.yml in this folder or one above it.
      """,
    version: "0.1.0",
    subcommands: [
      Clone.self, Plan.self, Validate.self, Diff.self, Explain.self, Show.self, ModelCommand.self,
      StoreCommand.self, Copy.self, ImportCommand.self, Sync.self, Dedupe.self, Seed.self,
    ],
    defaultSubcommand: Clone.self)

  /// Names that later commands will have: no entity is meant by them unless after `clone`.
  static let reservedNames = [
    "verify", "undo", "generate",
  ]
}

@main
enum Main {
  static func main() {
    signal(SIGPIPE, SIG_IGN)
    let arguments = LeadingOptions.moved(Array(CommandLine.arguments.dropFirst()))
    do {
      try Reserved.check(arguments)
      var command = try MOClone.parseAsRoot(arguments)
      try command.run()
    } catch {
      Foundation.exit(Failure(error, arguments: arguments).report())
    }
  }
}

/// Options of the project can stand before the command too: `moclone --store a.sqlite plan note`.
enum LeadingOptions {
  static func moved(_ arguments: [String]) -> [String] {
    var leading: [String] = []
    var rest = arguments[...]
    while let first = rest.first, ["--model", "--store", "--timeout"].contains(where: first.hasPrefix) {
      let count = first.contains("=") ? 1 : 2
      leading += rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return Array(rest[..<end]) + leading + Array(rest[end...])
  }
}

/// Words that are commands and could be meant as entities.
enum Reserved {
  static func check(_ arguments: [String]) throws {
    guard let word = arguments.first, MOClone.reservedNames.contains(word) else { return }
    throw UsageError(
      "'\(word)' is reserved for a command that does not exist yet; an entity of that name is cloned by "
        + "`moclone clone \(word) KEY`")
  }

  /// What to add where a command's own arguments were wrong.
  static func hint(_ arguments: [String]) -> String? {
    let names = MOClone.configuration.subcommands.compactMap { $0.configuration.commandName }
    guard let word = arguments.first, names.contains(word), word != "clone", arguments.count > 1,
      !arguments[1].hasPrefix("-")
    else { return nil }
    return "'\(word)' is a command; an entity of that name is cloned by `moclone clone \(word) KEY`"
  }
}
