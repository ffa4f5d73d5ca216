import ArgumentParser
import Foundation
import MOCloneKit

struct Sync: RunnableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Makes the objects of an entity match a file that contains all of them.",
    discussion: """
      The columns of the file (CSV, JSON, NDJSON or XML) are named as the attributes are; or it is a JSON \
      object whose keys are the identity. Objects that are only in the file are inserted, objects that are \
      only in the store are deleted by the delete rules, and in the others only the attributes of \
      --overwriting are updated.

      EXAMPLES:
        moclone sync channels.csv --entity Channel --overwriting url,name
        moclone sync channels.json --entity Channel --no-delete --dry-run
      """)

  @Argument(help: "The file, or - for standard input.", completion: .file())
  var file: String

  @Option(help: "The entity, in upper or lower case.", completion: .entities)
  var entity: String

  @Option(
    help: ArgumentHelp(
      "An attribute or a relationship to update in existing objects. Repeatable, or separated by commas.",
      valueName: "name"), completion: .properties)
  var overwriting: [String] = []

  @OptionGroup var identity: IdentityOptions

  @Option(
    help: ArgumentHelp("Compare only objects with this value. Repeatable.", valueName: "attr=value"))
  var predicate: [String] = []

  @Flag(help: "Do not delete objects.")
  var noDelete = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The greatest number of objects to delete. Default: half of them.", valueName: "n"))
  var maxDelete: Int?

  @Flag(help: "Accept a file without rows, and any number of deletions up to --max-delete.")
  var yes = false

  @Option(
    help: ArgumentHelp("The XML element of a row, or the path of the rows in JSON.", valueName: "name"))
  var rows: String?

  @OptionGroup var reading: ReadingOptions

  @OptionGroup var moving: TransferArguments
  @OptionGroup var project: ProjectOptions
  @OptionGroup var console: ConsoleOptions

  func validate() throws {
    guard let maxDelete, maxDelete < 0 else { return }
    throw ValidationError("'--max-delete \(maxDelete)' is not valid; expected a number of at least 0")
  }

  func run() throws {
    let format = try reading.format(of: file)
    let model = try project.loadModel()
    let request = SyncRequest(
      entity: try model.entityName(entity), identifiedBy: try identity.request(),
      overwriting: overwriting.flatMap { $0.split(separator: ",").map(String.init) },
      scope: try Assignments("--predicate", predicate, takesEmpty: false).values,
      deletes: !noDelete, maxDeletions: maxDelete, isConfirmed: yes)
    let graph = try project.openStore(model, use: moving.use, coreData: moving.coreData)
    try moving.perform(in: graph) {
      try graph.sync(
        request, fromFile: file, format: format, rows: rows, ignore: reading.ignore, options: $0)
    }
    try graph.close()
  }
}
