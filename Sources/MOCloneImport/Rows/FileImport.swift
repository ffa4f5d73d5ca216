import Foundation
import MOCloneEngine
import MOCloneModel

/// One import of a file: done once, or again without the rows that the graph refuses.
struct FileImport<Graph: ImportingGraph> {
  let graph: Graph
  let source: ByteSource
  let options: ImportOptions
  let transferOptions: TransferOptions
  private let planner: ImportPlanner
  private let reader: any RowReader
  private let names: RowNames
  /// Whether the file names its columns once for all rows.
  private let isTable: Bool
  /// The file of bad rows; nil where they keep the import from being done.
  private let rejects: String?

  /// Each row that the graph refuses costs two more readings of the file, and an import that is taken back.
  private static var mostRepeats: Int { 1000 }

  init(
    _ graph: Graph, of open: () throws -> ByteSource, format: FileFormat, mapping: ImportMapping,
    options: ImportOptions, transferOptions: TransferOptions
  ) throws {
    (self.graph, self.options, self.transferOptions) = (graph, options, transferOptions)
    isTable = format == .csv || format == .tsv
    planner = try ImportPlanner(
      mapping, in: graph.model, options: options, format: format, modified: transferOptions.modified)
    var source = try open()
    if case .skip(let path) = options.badRows {
      let kept = options.keptFiles + graph.files + [mapping.source?.path].compactMap { $0 }
      try source.needed(with: kept).refuse(writing: path)
      source = try source.rereadable()
      rejects = path
    } else {
      rejects = nil
    }
    self.source = source
    reader = try format.rowReader(source, mapping, planner.shape)
    names = planner.names
  }

  /// - Returns: what was done; nil where it is marked as done before.
  func perform() throws -> TransferReport? {
    var refused: [Int: [String]] = [:]
    for _ in 0..<Self.mostRepeats {
      do {
        return try source.repeating(transferOptions) {
          do { return try attempt(without: refused) } catch let error as CloneError where rejects != nil {
            throw try find(error, refused: refused)
          }
        }
      } catch let rows as RefusedRows { refused.merge(rows.reasons) { $1 } }
    }
    throw CloneError(
      .badRow,
      "the store refuses too many rows of '\(source.name)': the import was repeated \(Self.mostRepeats) times",
      help: "nothing was imported. Check the store's constraints, or the file")
  }

  /// - Parameter refused: why the graph refuses rows, by their numbers in the file.
  private func attempt(without refused: [Int: [String]]) throws -> TransferReport? {
    let file = rejects.map { RejectFile(path: $0, isTrial: transferOptions.isDryRun) }
    var importer: RowImporter?
    var report = try graph.importRows(planner.plan, transferOptions, mark: mark()) { sink in
      let rows = RowImporter(
        try planner.rows(), sink: sink, file: source.name, skips: rejects != nil, refused: refused,
        rejects: file,
        passedOver: { [names] in names.passedOver },
        progress: { try transferOptions.report(source.progress(rows: $0, of: planner.plan.root)) })
      importer = rows
      try read(rows)
      try transferOptions.report(
        TransferProgress(objects: [planner.plan.root: rows.count], total: rows.count))
      try checkNotEmpty(rows)
    }
    guard report != nil, let importer else { return nil }
    try file?.finish()
    let skipped = passedOver + importer.notes
    if !skipped.isEmpty { report?.skipped = skipped }
    if isTable, !importer.missing.isEmpty { report?.missingColumns = importer.missing }
    if importer.unlisted > 0 { report?.unlisted = importer.unlisted }
    if let rejects, importer.rejected > 0 {
      report?.rejected = TransferReport.Rejected(rows: importer.rejected, file: rejects)
    }
    return report
  }

  /// Attributes of what is imported that may have been forgotten in the mapping.
  private var passedOver: [TransferReport.Skipped] {
    let attributes = Set(
      planner.plan.entities.flatMap { graph.model.attributes(of: $0.name) }.map(\.name))
    return names.passedOver.intersection(attributes).sorted().map { name in
      TransferReport.Skipped(
        place: source.name,
        reason: "the file and the model have '\(name)', but the mapping does not take it, so it is not "
          + "imported; map it, or ignore it with \(name.ignoring)")
    }
  }

  private func mark() -> ImportMark? {
    guard let name = options.once else { return nil }
    var hash = SHA256()
    source.observer = { hash.update($0) }
    return ImportMark(name) { OnceMark(.done, hash: hash.text).text }
  }

  private func read(_ rows: RowImporter) throws {
    do {
      try reader.read(rows)
    } catch let error as CloneError where error.code == .brokenFile {
      // What was wrong before it comes first.
      do { try rows.finish() } catch let bad as CloneError {
        throw CloneError(bad.failures + error.failures)
      }
      throw error
    }
    try rows.finish()
  }

  private func checkNotEmpty(_ rows: RowImporter) throws {
    guard let mark = options.once, rows.added == 0 else { return }
    throw CloneError(
      .emptyInput, "'\(source.name)' contains no rows, so nothing was imported and '\(mark)' is not marked")
  }

  /// Looks for the rows that failures are about, by reading the file once more.
  ///
  /// - Returns: the error itself where one of them goes with no row.
  private func find(_ error: CloneError, refused: [Int: [String]]) throws -> any Error {
    guard error.failures.allSatisfy(\.isOfRow) else { return error }
    source.observer = nil
    try source.rewind()
    let finder = RowFinder(error.failures)
    let importer = RowImporter(
      try planner.rows(), sink: finder, file: source.name, skips: true, refused: refused, rejects: nil,
      progress: { _ in })
    finder.importer = importer
    try reader.read(importer)
    return finder.found.isEmpty ? error : RefusedRows(reasons: finder.found)
  }
}

/// Numbers rows as every sink does, and so finds those of the file that failures are about.
private final class RowFinder: ImportSink {
  private var reasons: [Place: [String]] = [:]
  private var counts: [Int: Int64] = [:]
  /// What was found, by the numbers of the file's rows.
  private(set) var found: [Int: [String]] = [:]
  unowned var importer: RowImporter!

  private struct Place: Hashable {
    var entity: Int
    var number: Int64
  }

  init(_ failures: [CloneError.Failure]) {
    for failure in failures {
      let place = Place(entity: failure.row!.entity, number: failure.row!.number)
      reasons[place, default: []].append(failure.message)
    }
  }

  func add(
    _ entity: Int, _ values: UnsafeBufferPointer<StagedValue>, _ references: UnsafeBufferPointer<Int64>,
    line: Int
  ) -> Int64 {
    let number = counts[entity, default: 0] + 1
    counts[entity] = number
    if let reasons = reasons[Place(entity: entity, number: number)] {
      found[importer.count, default: []] += reasons
    }
    return number
  }

  func leavesOut(_ property: String, of entity: Int) {}

  func joinRow(_ joinRows: Int, _ source: Int64, _ destination: Int64) {}
}

extension CloneError.Failure {
  /// Whether it no longer applies when its row is left out: not so what is wrong in the store itself.
  var isOfRow: Bool {
    row != nil
      && [
        .uniqueValue, .constraintFailed, .requiredLeftEmpty, .nullIdentity, .invalidValue,
        .identityOfOtherEntity,
      ]
      .contains(code)
  }
}

extension CloneError {
  /// The same with the place of each row in its file.
  func located(in file: String) -> CloneError {
    // Many rows can lack the same.
    let ofRows = failures.filter { $0.row != nil }.sorted { $0.row!.line < $1.row!.line }
    let listed = ofRows.prefix(20)
    let more = Set(ofRows.map(\.row)).subtracting(listed.map(\.row)).count
    let isAll = ofRows.count < Self.mostRows
    let rest = more > 0 ? [Failure.moreRows(more, isAll: isAll, code: code, in: file)] : []
    return CloneError(
      listed.map { $0.placed(at: "\(file):\($0.row!.line): ") } + failures.filter { $0.row == nil } + rest)
  }
}

extension ByteSource {
  /// How far an import is; how many rows there will be is told by the part of the file that they took so far.
  fileprivate func progress(rows: Int, of entity: String) -> TransferProgress {
    let total = size.map { Int(Double(rows) * Double($0) / Double(max(bytesRead, 1))) }
    return TransferProgress(objects: [entity: rows], total: total.map { max($0, rows) })
  }
}
