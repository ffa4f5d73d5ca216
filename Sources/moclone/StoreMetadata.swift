import ArgumentParser
import Foundation
import MOCloneKit

extension StoreCommand {
  struct Metadata: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "metadata", abstract: "Reads and changes the metadata of a store.",
      discussion: """
        The markers of --once are kept here. Remove a marker to let that import or copy run again.

        EXAMPLES:
          moclone store metadata list
          moclone store metadata remove first-import
        """,
      subcommands: [Get.self, Set.self, List.self, Remove.self])
  }
}

extension StoreCommand.Metadata {
  struct Get: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "get", abstract: "Prints the value of a key.",
      usage: "moclone store metadata get [<options>] <key>",
      discussion: """
        EXAMPLES:
          moclone store metadata get version
        """)

    @Argument(help: "The key.") var key: String
    @OptionGroup var project: ProjectOptions
    @OptionGroup var console: ConsoleOptions
    @Option(help: "The format of the output: text or json.") var format = OutputFormat.text

    func run() throws {
      let store = try project.metadataStore()
      let all = try store.metadata()
      // The key as it is spelled comes before another one that Unicode takes for equal.
      guard let value = try store.metadata(key) ?? all[key] else {
        throw MissingFile.key(key, known: all.keys)
      }
      try format.write(MetadataResult(metadata: [key: value]), text: value + "\n")
    }
  }

  struct Set: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "set", abstract: "Sets the value of a key.",
      usage: "moclone store metadata set [<options>] <key> <value>",
      discussion: """
        EXAMPLES:
          moclone store metadata set version 3
        """)

    @Argument(help: "The key.") var key: String
    @Argument(help: "Its value.") var value: String
    @OptionGroup var project: ProjectOptions
    @OptionGroup var coreData: CoreDataOptions
    @OptionGroup var console: ConsoleOptions

    func run() throws {
      guard !key.isEmpty else { throw UsageError("the key is empty; name one") }
      try project.metadataStore(coreData.writing).setMetadata(value, for: key)
    }
  }

  struct List: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Prints every key and its value, separated by a tab.",
      usage: "moclone store metadata list [<options>]",
      discussion: """
        EXAMPLES:
          moclone store metadata list --format json
        """)

    @OptionGroup var project: ProjectOptions
    @OptionGroup var console: ConsoleOptions
    @Option(help: "The format of the output: text or json.") var format = OutputFormat.text

    func run() throws {
      let all = try project.metadataStore().metadata()
      let lines = all.sorted { $0.key < $1.key }.map { "\($0.key)\t\($0.value)\n" }
      try format.write(MetadataResult(metadata: all), text: lines.joined())
    }
  }

  struct Remove: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Removes a key and its value.",
      usage: "moclone store metadata remove [<options>] <key>",
      discussion: """
        EXAMPLES:
          moclone store metadata remove first-import
        """)

    @Argument(help: "The key.") var key: String
    @OptionGroup var project: ProjectOptions
    @OptionGroup var coreData: CoreDataOptions
    @OptionGroup var console: ConsoleOptions

    func run() throws {
      let store = try project.metadataStore(coreData.writing)
      guard try store.removeMetadata(key) else {
        throw MissingFile.key(key, known: try store.metadata().keys)
      }
    }
  }
}

private struct MetadataResult: Encodable {
  var version = 1
  var metadata: [String: String]
}

extension MissingFile {
  /// A key that the metadata lacks.
  fileprivate static func key(_ key: String, known: some Collection<String>) -> MissingFile {
    MissingFile(
      "the store's metadata has no key '\(key)'".advised(didYouMean(key, known: Array(known))))
  }
}
