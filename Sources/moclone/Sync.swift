import ArgumentParser
import Foundation
import MOCloneKit

struct Sync: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sync", abstract: "Makes the objects of an entity follow a file that holds the full set.",
    discussion: """
      The file holds rows (CSV, JSON, NDJSON, XML) that name attributes as the
      model does, and so hold the identity; or a JSON object whose names are the
      identity. What is only in the file is made, with all values; what is only in
      the store is deleted by the delete rules; of what is in both, only what
      --overwriting names is written, where it differs.
      """)

  @Argument(help: "The file, or - for standard input.")
  var file: String

  @Option(help: "The entity; upper and lower case do not matter.")
  var entity: String

  @Option(
    help: ArgumentHelp(
      "What is written to objects that exist. Repeatable, or divided by commas.",
      valueName: "name"))
  var overwriting: [String] = []

  @OptionGroup var identity: IdentityOptions

  @Option(
    help: ArgumentHelp("Only objects with this value are compared. Repeatable.", valueName: "attr=value"))
  var predicate: [String] = []

  @Flag(help: "Deletes nothing.")
  var noDelete = false

  @Option(help: ArgumentHelp("How many objects may be deleted, in place of half of them.", valueName: "n"))
  var maxDelete: Int?

  @Flag(help: "Accepts a file without rows, and any number of deletions.")
  var yes = false

  @Option(
    help: ArgumentHelp("The XML element that is a row, or where the rows lie in JSON.", valueName: "name"))
  var rows: String?

  @Option(help: ArgumentHelp("A name in the file that means nothing. Repeatable.", valueName: "name"))
  var ignore: [String] = []

  @Option(help: "csv, tsv, json, ndjson or xml, where the file's name does not say it.")
  var fileFormat: FileFormat?

  @OptionGroup var moving: MovingOptions
  @OptionGroup var project: ProjectOptions

  func run() throws {
    let model = try project.loadModel()
    let request = SyncRequest(
      entity: try model.entityName(entity), identifiedBy: try identity.request(),
      overwriting: overwriting.flatMap { $0.split(separator: ",").map(String.init) }, scope: try scope(),
      deletes: !noDelete, maxDeletions: maxDelete, isConfirmed: yes)
    if fileFormat == nil, FileFormat(path: file) == nil {
      throw UsageError("the name of '\(file)' does not say its format; add --file-format")
    }
    let graph = try project.openGraph(model, moving.use)
    try moving.perform(in: graph) {
      try graph.update(request, fromFile: file, format: fileFormat, rows: rows, ignore: ignore, run: $0)
    }
    try graph.close()
  }

  private func scope() throws -> [String: AttributeValue] {
    var values: [String: AttributeValue] = [:]
    for text in predicate {
      let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard sides.count == 2, !sides[0].isEmpty else {
        throw UsageError("'--predicate \(text)' has no value; write --predicate NAME=VALUE")
      }
      guard values.updateValue(.string(sides[1]), forKey: sides[0]) == nil else {
        throw UsageError("'\(sides[0])' stands in two --predicate; only one value can be compared")
      }
    }
    return values
  }
}

extension FileFormat: ExpressibleByArgument {}
