import Foundation
import MOCloneEngine
import MOCloneModel

extension ImportingGraph {
  /// Imports a file: every row finds or makes an object, and what it is related to.
  ///
  /// ```swift
  /// let mapping = try ImportMapping(contentsOf: URL(fileURLWithPath: "map.yml"))
  /// let report = try graph.importFile("items.csv", mapping: mapping, options: ImportOptions(existing: .update))
  /// ```
  ///
  /// The file is read as a stream: one that is larger than the memory passes. All happens or nothing.
  ///
  /// - Parameter path: the file; `-` is standard input, whose format `options` must name.
  /// - Returns: what was done; nil where it is marked as done before.
  /// - Throws: `ModelError` with every finding in the mapping; `CloneError` with the bad rows (`bad-row`) or the place where
  ///   the file is broken (`broken-file`).
  @discardableResult
  public func importFile(
    _ path: String, mapping: ImportMapping, options: ImportOptions = ImportOptions(), run: MoveRun = MoveRun()
  ) throws -> MoveReport? {
    guard let format = options.format ?? FileFormat(path: path) else {
      throw CloneError(
        .invalidValue,
        "the name of '\(path)' does not say its format: name one of "
          + FileFormat.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return try importRows(
      of: { try ByteSource(path: path) }, format: format, mapping: mapping, options: options, run: run)
  }

  /// Imports what a handle reads, such as a pipe.
  ///
  /// - Parameter name: what it is called in messages.
  @discardableResult
  public func importFile(
    reading handle: FileHandle, name: String, format: FileFormat, mapping: ImportMapping,
    options: ImportOptions = ImportOptions(), run: MoveRun = MoveRun()
  ) throws -> MoveReport? {
    try importRows(
      of: { ByteSource(handle: handle, name: name) }, format: format, mapping: mapping, options: options,
      run: run)
  }

  private func importRows(
    of open: () throws -> ByteSource, format: FileFormat, mapping: ImportMapping, options: ImportOptions,
    run: MoveRun
  ) throws -> MoveReport? {
    let planner = try ImportPlanner(mapping, model, options, format: format)
    let reader = try format.reader(open(), mapping, planner.shape)
    var rejects: RejectFile?
    if case .skip(let path) = options.badRows {
      let kept = options.keptFiles + files + [mapping.source?.path].compactMap { $0 }
      try reader.source.needed(with: kept).refuse(writing: path)
      if !run.isDryRun { rejects = RejectFile(path: path) }
    }
    var notes: [MoveReport.Skipped] = []
    let mark = options.once.map { name in
      var hash = SHA256()
      reader.source.observer = { hash.update($0) }
      return ImportMark(name) { OnceMark(.done, hash: hash.text).text }
    }
    var report = try importRows(planner.plan, run, mark: mark) { sink in
      let importer = RowImporter(
        planner.root, sink, file: reader.source.name, skips: options.badRows != .stop, rejects: rejects,
        progress: { try run.report(reader.source.progress(rows: $0, of: planner.plan.root)) })
      try reader.rows(importer)
      try importer.finish()
      if mark != nil, importer.added == 0 {
        throw CloneError(
          .emptyInput,
          "'\(reader.source.name)' holds no row, so nothing was imported and '\(options.once!)' is not marked"
        )
      }
      notes = importer.notes
    }
    if report != nil { try rejects?.finish() }
    if !notes.isEmpty { report?.skipped = notes }
    return report
  }
}

extension ByteSource {
  /// How far an import is; how many rows there will be is told by the part of the file that they took so far.
  fileprivate func progress(rows: Int, of entity: String) -> MoveProgress {
    let total = size.map { Int(Double(rows) * Double($0) / Double(max(bytesRead, 1))) }
    return MoveProgress(objects: [entity: rows], total: total.map { max($0, rows) })
  }
}

/// A file with what reads it.
private struct FileRows {
  var source: ByteSource
  var reader: any RowReader

  func rows(_ handler: RowImporter) throws {
    do {
      try reader.read(handler)
    } catch let error as CloneError where error.code == .brokenFile {
      // What was wrong before it comes first.
      do { try handler.finish() } catch let rows as CloneError {
        throw CloneError(rows.failures + error.failures)
      }
      throw error
    }
  }
}

extension FileFormat {
  fileprivate func reader(
    _ source: ByteSource, _ mapping: ImportMapping, _ shape: RecordShape
  ) throws -> FileRows {
    FileRows(source: source, reader: try rowReader(source, mapping, shape))
  }

  package func rowReader(
    _ source: ByteSource, _ mapping: ImportMapping, _ shape: RecordShape
  ) throws -> any RowReader {
    let rows = mapping.root.rows
    switch self {
    case .csv, .tsv, .ndjson:
      guard rows == nil else {
        throw CloneError(
          .invalidValue, "'rows: \(rows!)' is for XML and JSON; in \(rawValue) every line is a row: remove it"
        )
      }
      if self == .ndjson { return JSONReader(source, shape, path: nil) }
      let sign = mapping.delimiter?.utf8.first ?? UInt8(ascii: self == .csv ? "," : "\t")
      return CSVReader(source, shape, delimiter: sign)
    case .json:
      let names = rows.map { $0.split(separator: ".").map(String.init) } ?? []
      return JSONReader(source, shape, path: names)
    case .xml:
      guard let rows, !rows.isEmpty else {
        throw CloneError(.invalidValue, "the mapping must say which XML element a row is, as in 'rows: item'")
      }
      #if canImport(CLibXML)
        let names = rows.split(separator: "/").map(String.init)
        return XMLReader(source, shape, path: names)
      #else
        throw CloneError(.unreadableFile, "this platform has no libxml2, so XML cannot be read")
      #endif
    }
  }
}
