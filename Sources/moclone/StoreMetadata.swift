import ArgumentParser
import Foundation
import MOCloneKit

extension StoreCommand {
  struct Metadata: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "metadata", abstract: "Reads and changes what a store says of itself.",
      discussion:
        "Marks of --once are kept here: removing one takes an import, a copy, or a wrong answer to --ask back.",
      subcommands: [Get.self, Set.self, List.self, Remove.self])
  }
}

extension StoreCommand.Metadata {
  struct Get: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "get", abstract: "Prints the value of a key.")

    @Argument(help: "The key.") var key: String
    @OptionGroup var project: ProjectOptions
    @Option(help: "text or json.") var format = OutputFormat.text

    func run() throws {
      let all = try project.storeFile().metadata()
      guard let value = all[key] else { throw MissingFile.key(key, all.keys) }
      try format.write(MetadataResult(metadata: [key: value]), text: value + "\n")
    }
  }

  struct Set: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "set", abstract: "Gives a key a value.")

    @Argument(help: "The key.") var key: String
    @Argument(help: "Its value.") var value: String
    @OptionGroup var project: ProjectOptions

    func run() throws {
      guard !key.isEmpty else { throw UsageError("a key cannot be empty") }
      try project.storeFile().setMetadata(value, for: key)
    }
  }

  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Prints every key with its value, divided by a tab.")

    @OptionGroup var project: ProjectOptions
    @Option(help: "text or json.") var format = OutputFormat.text

    func run() throws {
      let all = try project.storeFile().metadata()
      let lines = all.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)\n" }
      try format.write(MetadataResult(metadata: all), text: lines.joined())
    }
  }

  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(commandName: "remove", abstract: "Removes a key.")

    @Argument(help: "The key.") var key: String
    @OptionGroup var project: ProjectOptions

    func run() throws {
      let store = try project.storeFile()
      guard try store.removeMetadata(key) else { throw MissingFile.key(key, try store.metadata().keys) }
    }
  }
}

private struct MetadataResult: Encodable {
  var version = 1
  var metadata: [String: String]
}

extension MissingFile {
  /// A key of the metadata that is not there.
  fileprivate static func key(_ key: String, _ known: some Collection<String>) -> MissingFile {
    MissingFile("the store's metadata has no '\(key)'" + didYouMean(key, Array(known)))
  }
}
