import MOCloneEngine
import MOCloneModel

/// Which column holds which value.
struct CSVHeader {
  private let columns: [(column: Int, field: Int)]
  private let count: Int
  private let delimiter: UInt8
  /// Whether the last column holds the reasons of an earlier import.
  private let hasReasons: Bool
  /// The header of a file of the same columns and one for reasons.
  let frame: FileFrame

  /// - Throws: `CloneError` with every column that is unknown, and every missing one without which no row means anything or
  ///   whose name may be misspelt.
  init(_ scanner: CSVScanner, shape: RecordShape, file: String, isOpen: Bool) throws {
    guard try scanner.advance() else {
      throw ImportFault.broken(
        file, place: Place(line: 1, column: 1),
        message: "the file is empty, but its first line must name the columns")
    }
    if let fault = scanner.fault {
      throw ImportFault.broken(file, fault)
    }
    let names = scanner.cells.indices.map { scanner.string($0) }
    count = names.count
    delimiter = scanner.delimiter
    hasReasons = names.last == RowText.reasonsName
    let line = String(decoding: scanner.bytes, as: UTF8.self)
    let more = hasReasons ? "" : String(UnicodeScalar(delimiter)) + RowText.reasonsName
    frame = FileFrame(head: line + more + "\n")
    let asked = shape.paths.map { $0.joined(separator: ".") }
    let unknown = Self.unknown(names, shape: shape, known: asked)
    let hasNone = Set(asked).isDisjoint(with: names)
    var columns: [(column: Int, field: Int)] = []
    var failures: [CloneError.Failure] = []
    for (field, name) in asked.enumerated() {
      let places = names.indices.filter { names[$0] == name }
      if places.count == 1 { columns.append((places[0], field)) }
      let isRequired = hasNone || shape.required.contains(field)
      if places.isEmpty, !isOpen,
        let failure = Self.missing(name, among: names, isRequired: isRequired, unknown, file: file)
      {
        failures.append(failure)
      }
      if places.count > 1 {
        failures.append(
          .init(.unknownName, "\(file):1: two columns have the name '\(name)'", property: name))
      }
    }
    failures += unknown.map {
      shape.unknown($0, what: "column", known: asked).failure(file, Place(line: 1, column: 1))
    }
    if !failures.isEmpty {
      throw CloneError(
        Self.otherDelimiter(names, than: delimiter, isMapped: !isOpen, file: file).map { [$0] } ?? failures)
    }
    self.columns = columns
  }

  /// What is said of a header that another character seems to divide.
  ///
  /// - Parameter isMapped: whether there is a mapping, which can name that character.
  private static func otherDelimiter(
    _ names: [String], than delimiter: UInt8, isMapped: Bool, file: String
  ) -> CloneError.Failure? {
    let marks: [Character] = [";", "\t", "|", ","]
    guard names.count == 1, let name = names.first,
      let mark = marks.first(where: { $0.asciiValue != delimiter && name.contains($0) })
    else { return nil }
    let written = mark == "\t" ? "\"\\t\"" : "'\(mark)'"
    let advice =
      isMapped
      ? "write `delimiter: \(written)` in the mapping"
      : "a sync reads commas, and tabs with --file-format tsv, so write the file with these"
    return .init(
      .unknownName,
      "\(file):1: the header has one column only, '\(name.shortened)'",
      help: "if \(written) divides its columns, \(advice)",
      property: name)
  }

  /// What is wrong with a missing column; nil where its value is one that rows may leave out.
  ///
  /// - Parameter unknown: those of the names that nothing takes.
  private static func missing(
    _ name: String, among names: [String], isRequired: Bool, _ unknown: [String], file: String
  ) -> CloneError.Failure? {
    let near = didYouMean(name, known: isRequired ? names : unknown)
    guard isRequired || near != nil else { return nil }
    return .init(
      .unknownName,
      "\(file):1: the file has no column '\(name)'"
        + (near == nil ? "; the mapping reads it as '@\(name)'" : ""),
      help: near ?? "correct the name there or in the file", property: name)
  }

  /// The names that neither the mapping nor the model knows.
  private static func unknown(_ names: [String], shape: RecordShape, known: [String]) -> [String] {
    names.filter { name in
      var bytes = name
      return !known.contains(name) && !bytes.withUTF8(shape.allows)
    }
  }

  func fault(_ scanner: CSVScanner) -> RowFault? {
    let found = scanner.cells.count
    guard found != count else { return nil }
    let values = found == 1 ? "1 value" : "\(found) values"
    return RowFault("the row has \(values), but the header names \(count) columns", at: scanner.place)
  }

  /// The row as it is in the file, to be kept.
  func text(_ scanner: CSVScanner) -> RowText {
    RowText(bytes: Array(scanner.bytes), gap: gap(scanner), style: style)
  }

  private var style: RowText.Style { .cell(delimiter: hasReasons ? nil : delimiter) }

  /// In place of earlier reasons, or behind the row; where nobody can say which cell is theirs, it stays as it is.
  private func gap(_ scanner: CSVScanner) -> Range<Int>? {
    let end = scanner.bytes.count
    guard hasReasons else { return end..<end }
    return scanner.cells.count == count ? scanner.lastCell..<end : nil
  }

  func fill(_ record: Record, _ scanner: CSVScanner) {
    record.place = scanner.place
    record.text = scanner.bytes
    (record.gap, record.style) = (gap(scanner), style)
    for (column, field) in columns { record.fields[field] = scanner.field(column) }
  }
}
