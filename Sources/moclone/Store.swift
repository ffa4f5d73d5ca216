import ArgumentParser
import Foundation
import MOCloneKit

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Makes stores and looks after them.",
    subcommands: [Init.self, Info.self, Metadata.self, Pack.self, Reset.self])

  struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init",
      abstract:
        "Puts a store in its place, if there is none yet: a shipped one, or an empty one for the model.")

    @OptionGroup var project: ProjectOptions

    @Option(
      help: ArgumentHelp(
        "The shipped store that is copied, with what lies in its -wal file.", valueName: "store"))
    var from: String?

    func run() throws {
      let path = try project.storePath()
      let store = project.waiting.file(path)
      // With a model that has errors nothing is done, be the store there or not.
      let model = try from == nil ? project.loadModel() : nil
      let isNew = try from.map { try store.place(copyOf: $0) } ?? store.place(emptyFor: model!)
      if !isNew { Console.note("'\(path)' exists already; nothing was done") }
    }
  }

  struct Info: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "info", abstract: "Says what the store is and how much it holds.")

    @OptionGroup var project: ProjectOptions
    @Option(help: "text or json.") var format = OutputFormat.text

    func run() throws {
      let info = try project.storeFile().info(model: project.loadModelIfNamed())
      try format.write(info, text: info.text)
    }
  }

  struct Pack: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "pack",
      abstract: "Writes the store as one file that can be shipped, without -wal and -shm.")

    @Argument(help: "The file to be made.") var file: String
    @Flag(help: "Replaces the file if it is there.") var replace = false
    @OptionGroup var project: ProjectOptions

    func run() throws {
      try NeededFiles(project.files).refuse(writing: file)
      try project.storeFile().pack(to: file, replaces: replace)
    }
  }

  struct Reset: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset", abstract: "Removes the store, with its -wal and -shm; asks first.")

    @Flag(help: "Removes it without asking.") var yes = false
    @OptionGroup var project: ProjectOptions

    func run() throws {
      let path = try project.storePath()
      guard project.waiting.file(path).exists else {
        return Console.note("there is no store '\(path)'; nothing was done")
      }
      try Question.confirm("Remove '\(path)' with everything in it?", yes: yes)
      try project.waiting.file(path).remove()
    }
  }
}
