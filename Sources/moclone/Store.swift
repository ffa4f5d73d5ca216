import ArgumentParser
import Foundation
import GRDB
import MOCloneKit

struct StoreCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "store", abstract: "Makes stores and keeps them.",
    subcommands: [Init.self, Metadata.self])

  struct Init: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "init", abstract: "Makes an empty SQLite store for the model, if it does not exist yet.")

    @OptionGroup var project: ProjectOptions

    func run() throws {
      let model = try project.loadModel()
      let path = try project.storePath()
      guard !FileManager.default.fileExists(atPath: path) else {
        return Console.note("'\(path)' exists already; nothing was done")
      }
      try make(path, model)
    }

    /// Made beside its place and moved there, so that a killed process leaves no half store.
    private func make(_ path: String, _ model: ObjectModel) throws {
      let temporary = path + ".\(ProcessInfo.processInfo.processIdentifier).tmp"
      defer { try? FileManager.default.removeItem(atPath: temporary) }
      do {
        let queue = try DatabaseQueue(path: temporary)
        try queue.write { try SchemaWriter(model).create(in: $0) }
        try queue.close()
        try FileManager.default.moveItem(atPath: temporary, toPath: path)
      } catch let error as DatabaseError {
        throw MissingFile("'\(path)' cannot be made: \(error.message ?? "")")
      }
    }
  }
}
