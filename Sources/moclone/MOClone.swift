import ArgumentParser
import Foundation
import MOCloneKit

struct MOClone: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "moclone",
    abstract: "Copies an object of a database together with the objects that belong to it.",
    usage: """
      moclone ENTITY KEY... [--exclude NAME] [--set NAME=VALUE] [--count N]
      moclone <subcommand>
      """,
    discussion: """
      A model describes what belongs to an object; its annotations change what a copy contains. \
      The model and the store are named by --model and --store, else by MOCLONE_MODEL and \
      MOCLONE_STORE, else by moclone.yml in this folder or one above it.

      EXAMPLES:
        moclone note 42 --exclude memos     Copies a note without its memos.
        moclone plan note 42                Shows what would be copied, and why.
        moclone validate Models/Notes.yml   Checks a model.
      """,
    version: "0.1.0",
    subcommands: [
      Clone.self, Plan.self, Validate.self, Diff.self, Explain.self, Show.self, ModelCommand.self,
      StoreCommand.self, Copy.self, ImportCommand.self, Sync.self, Dedupe.self, Seed.self, Init.self,
    ],
    defaultSubcommand: Clone.self)

  /// Names of later commands, which mean an entity only after `clone`.
  static let reservedNames = ["verify", "undo", "generate"]

  /// The names of the commands, as they are typed.
  static var commandNames: [String] {
    configuration.subcommands.compactMap { $0.configuration.commandName }
  }
}

@main
enum Main {
  static func main() {
    // A pipe that nobody reads and a limit of the size of files are errors of the write.
    for number in [SIGPIPE, SIGXFSZ] { signal(number, SIG_IGN) }
    // Dispatch would take the place of a stream that is closed: it is empty, and takes nothing, as before.
    var descriptor: Int32
    repeat { descriptor = open("/dev/null", O_RDONLY) } while (0...STDERR_FILENO).contains(descriptor)
    close(descriptor)
    let arguments = LeadingOptions.moved(Array(CommandLine.arguments.dropFirst()))
    do {
      try Reserved.checkEncoding()
      if let script = CompletionScript(arguments) { return try Console.output.writeAll(script.text) }
      try Reserved.check(arguments)
      var command = try MOClone.parseAsRoot(arguments)
      if let command = command as? any RunnableCommand { Console.settings = command.console.settings }
      try Interruption.catching { try command.run() }
    } catch {
      Foundation.exit(Failure(error: error, arguments: arguments).report())
    }
  }
}

/// Options that every command has can also come before the command: `moclone --store a.sqlite plan note`.
enum LeadingOptions {
  private static let withValue = ["--model", "--store", "--timeout", "--color"]
  private static let flags = ["-v", "--verbose", "--quiet"]

  static func moved(_ arguments: [String]) -> [String] {
    var leading: [String] = []
    var rest = arguments[...]
    while let first = rest.first, let count = count(of: first) {
      leading += rest.prefix(count)
      rest = rest.dropFirst(count)
    }
    let end = rest.firstIndex(of: "--") ?? rest.endIndex
    return Array(rest[..<end]) + leading + Array(rest[end...])
  }

  /// How many arguments an option takes up, itself included; nil for anything else.
  private static func count(of argument: String) -> Int? {
    if flags.contains(argument) { return 1 }
    guard withValue.contains(where: { argument == $0 || argument.hasPrefix($0 + "=") }) else { return nil }
    return argument.contains("=") ? 1 : 2
  }
}

/// Names of commands that could be meant as entities.
enum Reserved {
  static func check(_ arguments: [String]) throws {
    if arguments.first == "help" { try checkHelp(of: arguments.dropFirst().prefix { !$0.hasPrefix("-") }) }
    guard let word = arguments.first, MOClone.reservedNames.contains(word) else { return }
    throw UsageError(
      "'\(word)' is reserved for a future command. To clone an entity of that name, use "
        + "`moclone clone \(word) KEY`")
  }

  /// The parser would show the help of the command above instead.
  private static func checkHelp(of words: some Sequence<String>) throws {
    var commands = MOClone.configuration.subcommands
    for word in words where word != "help" && !commands.isEmpty {
      guard let command = commands.first(where: { $0._commandName == word }) else {
        let names = commands.map { $0._commandName }
        throw UsageError("there is no command '\(word)'".advised(didYouMean(word, known: names)))
      }
      commands = command.configuration.subcommands
    }
  }

  /// Swift would repair such an argument silently, and another file or object would be meant.
  static func checkEncoding() throws {
    for number in 0..<Int(CommandLine.argc) {
      guard let bytes = CommandLine.unsafeArgv[number], String(validatingCString: bytes) == nil else {
        continue
      }
      throw UsageError("argument \(number) is not valid UTF-8; write names and paths in UTF-8")
    }
  }

  /// What to add where a command's own arguments were wrong.
  ///
  /// - Parameter message: what is wrong.
  static func hint(_ arguments: [String], message: String) -> String? {
    if let hint = keyHint(arguments, message: message) ?? formatHint(arguments, message: message) {
      return hint
    }
    guard let word = arguments.first, word != "clone", message.contains("nexpected argument"),
      arguments.count > 1, !arguments[1].hasPrefix("-"),
      var command = MOClone.configuration.subcommands.first(where: { $0._commandName == word })
    else { return nil }
    for (place, word) in arguments.enumerated().dropFirst() {
      let subcommands = command.configuration.subcommands
      let names = subcommands.map { $0._commandName }
      if let next = subcommands.first(where: { $0._commandName == word }) {
        command = next
      } else if !names.isEmpty, place > 1 || didYouMean(word, known: names) != nil {
        return "'\(command._commandName)' has no subcommand '\(word)'".advised(didYouMean(word, known: names))
      } else {
        break
      }
    }
    guard command._commandName == word else { return nil }
    return "'\(word)' is a command. To clone an entity of that name, use `moclone clone \(word) KEY`"
  }

  /// A negative key looks like an option.
  private static func keyHint(_ arguments: [String], message: String) -> String? {
    let command = arguments.first ?? ""
    guard ["clone", "plan", "show"].contains(command) || !MOClone.commandNames.contains(command),
      let place = arguments.firstIndex(where: { $0.starts(with: /-\d/) }),
      message.contains("Unknown option '\(arguments[place])'")
    else { return nil }
    let call = arguments[..<place].map { ShellWord($0).text }.joined(separator: " ")
    let key = arguments[place]
    return "to name the key \(key), write `moclone \(call) --key \(ShellWord(key).text)`"
  }

  /// The format of a file is named apart from that of the counts.
  private static func formatHint(_ arguments: [String], message: String) -> String? {
    guard let command = arguments.first, ["import", "sync"].contains(command),
      let format = FileFormat.words.first(where: { message.contains("'\($0)' is invalid for '--format") })
    else { return nil }
    return "'--format' is the format of the counts; did you mean --file-format \(format)?"
  }
}
