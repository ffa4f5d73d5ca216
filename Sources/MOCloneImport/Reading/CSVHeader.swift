import MOCloneEngine
import MOCloneModel

/// Which column holds which value.
struct CSVHeader {
  private let columns: [(column: Int, field: Int)]
  private let count: Int

  /// - Throws: `CloneError` with every column that is missing.
  init(_ scanner: CSVScanner, _ shape: RecordShape, file: String, isOpen: Bool) throws {
    guard try scanner.advance() else {
      throw ImportFault.broken(
        file, Place(line: 1, column: 1), "the file is empty; its first line must name the columns")
    }
    if let fault = scanner.fault { throw ImportFault.broken(file, fault.place, fault.message) }
    let names = scanner.cells.indices.map { scanner.string($0) }
    count = names.count
    var columns: [(column: Int, field: Int)] = []
    var failures: [CloneError.Failure] = []
    for (field, path) in shape.paths.enumerated() {
      let name = path.joined(separator: ".")
      let places = names.indices.filter { names[$0] == name }
      if places.isEmpty, isOpen { continue }
      if places.count == 1 {
        columns.append((places[0], field))
      } else {
        let problem =
          places.isEmpty
          ? "there is no column '\(name)'" + didYouMean(name, names) : "two columns are called '\(name)'"
        failures.append(.init(.unknownName, "\(file):1: \(problem)", property: name))
      }
    }
    failures += Self.unknown(names, shape, file)
    if !failures.isEmpty { throw CloneError(failures) }
    self.columns = columns
  }

  private static func unknown(
    _ names: [String], _ shape: RecordShape, _ file: String
  ) -> [CloneError.Failure] {
    let known = shape.paths.map { $0.joined(separator: ".") }
    return names.filter { name in
      var bytes = name
      return !known.contains(name) && !bytes.withUTF8(shape.allows)
    }.map { name in
      UnknownName(what: "column", name: name, known: known + shape.names)
        .failure(file, Place(line: 1, column: 1))
    }
  }

  func fault(_ scanner: CSVScanner) -> RowFault? {
    let found = scanner.cells.count
    guard found != count else { return nil }
    let values = found == 1 ? "1 value" : "\(found) values"
    return RowFault("the row has \(values), but the header names \(count) columns", at: scanner.place)
  }

  func fill(_ record: Record, _ scanner: CSVScanner) {
    record.place = scanner.place
    record.text = scanner.bytes
    for (column, field) in columns { record.fields[field] = scanner.field(column) }
  }
}
