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
    return try FileImport(
      self, of: { try ByteSource(path: path) }, format: format, mapping: mapping, options: options, run: run
    ).perform()
  }

  /// Imports what a handle reads, such as a pipe.
  ///
  /// - Parameter name: what it is called in messages.
  @discardableResult
  public func importFile(
    reading handle: FileHandle, name: String, format: FileFormat, mapping: ImportMapping,
    options: ImportOptions = ImportOptions(), run: MoveRun = MoveRun()
  ) throws -> MoveReport? {
    try FileImport(
      self, of: { ByteSource(handle: handle, name: name) }, format: format, mapping: mapping,
      options: options, run: run
    ).perform()
  }
}

extension FileFormat {
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
