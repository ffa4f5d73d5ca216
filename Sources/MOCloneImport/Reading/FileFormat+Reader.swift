import MOCloneEngine
import MOCloneModel

/// The locations of the rows of a file.
struct RowLayout {
  /// The XML element that is a row, or the names that lead to the rows of JSON.
  var rows: String?
  /// What divides the values of CSV.
  var delimiter: String?
  /// The value that the names of an object are, where rows of JSON can be in an object in place of a list.
  var keyField: Int?
  /// Whether columns may be missing.
  var isOpen = false
}

extension FileFormat {
  /// The format that a file's name says.
  ///
  /// - Throws: `CloneError` (`invalid-value`) where it says none.
  init(ofFile path: String) throws {
    guard let format = FileFormat(path: path) else {
      throw CloneError(
        .invalidValue,
        "the name of '\(path)' does not show its format",
        help: "name one of "
          + Self.words.joined(separator: ", "))
    }
    self = format
  }

  package func rowReader(
    _ source: ByteSource, _ mapping: ImportMapping, _ shape: RecordShape
  ) throws -> any RowReader {
    try rowReader(source, shape, RowLayout(rows: mapping.root.rows, delimiter: mapping.delimiter))
  }

  func rowReader(_ source: ByteSource, _ shape: RecordShape, _ layout: RowLayout) throws -> any RowReader {
    switch self {
    case .csv, .tsv, .ndjson:
      if let rows = layout.rows {
        throw CloneError(
          .invalidValue,
          "'rows: \(rows)' is for XML and JSON only, because every line of \(rawValue) is a row",
          help: "remove 'rows'"
        )
      }
      if self == .ndjson { return JSONReader(source, shape: shape, path: nil) }
      let delimiter = layout.delimiter?.utf8.first ?? UInt8(ascii: self == .csv ? "," : "\t")
      return CSVReader(source, shape: shape, delimiter: delimiter, isOpen: layout.isOpen)
    case .json:
      let names = layout.rows.map { $0.split(separator: ".").map(String.init) } ?? []
      return JSONReader(source, shape: shape, path: names, keyField: layout.keyField)
    case .xml:
      guard let rows = layout.rows, !rows.isEmpty else {
        throw CloneError(
          .invalidValue,
          "the XML element of a row is not named",
          help: "add 'rows: item' to the mapping, or pass '--rows item' to a sync"
        )
      }
      #if canImport(CLibXML)
        return XMLReader(source, shape: shape, path: rows.split(separator: "/").map(String.init))
      #else
        throw CloneError(.unreadableFile, "this platform has no libxml2, so XML cannot be read")
      #endif
    }
  }
}
