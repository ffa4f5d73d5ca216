import MOCloneEngine
import MOCloneModel

/// Reads JSON (RFC 8259): the objects of one list, wherever it is, or one object a line.
package struct JSONReader: RowReader {
  private let source: ByteSource
  private let shape: RecordShape
  private let path: [String]?
  private let keyField: Int?

  /// - Parameters:
  ///   - path: the names that lead to the list of rows; nil where every line is a row.
  ///   - keyField: the value that the names of an object are, where rows can be in an object in place of a list.
  package init(_ source: ByteSource, shape: RecordShape, path: [String]?, keyField: Int? = nil) {
    self.source = source
    self.keyField = keyField
    self.shape = shape
    self.path = path
  }

  package func read(_ handler: some RowHandler) throws {
    let scanner = try JSONScanner(ByteWindow(source), isByLines: path == nil)
    handler.begin(path.map(frame) ?? FileFrame())
    do {
      if let path { try rows(at: path[...], scanner, handler) } else { try lines(scanner, handler: handler) }
    } catch let unknown as JSONUnknown {
      throw CloneError([unknown.name.failure(source.name, unknown.place)])
    }
  }

  // MARK: Lines

  private func lines(_ scanner: JSONScanner, handler: some RowHandler) throws {
    let record = Record(shape)
    while try scanner.skipBlank() {
      scanner.mark()
      do {
        try JSONRow(scanner).read(into: record)
        try scanner.endLine()
      } catch let fault as JSONFault {
        try scanner.skipLine()
        record.text = scanner.markedBytes
        try handler.fault(fault.inRow(record.kept))
        scanner.unmark()
        continue
      }
      record.text = scanner.markedBytes
      try handler.row(record)
      scanner.unmark()
    }
  }

  // MARK: One document

  private func rows(at path: ArraySlice<String>, _ scanner: JSONScanner, _ handler: some RowHandler) throws {
    do {
      guard try scanner.skipBlank() else { throw scanner.fault("the file is empty") }
      try find(path, scanner: scanner, handler: handler)
      if try scanner.skipBlank() { throw scanner.fault("there are characters after the end of the JSON") }
    } catch let fault as JSONFault {
      throw ImportFault.broken(source.name, fault.inRow())
    }
  }

  private func find(_ path: ArraySlice<String>, scanner: JSONScanner, handler: some RowHandler) throws {
    guard let name = path.first else { return try list(scanner, handler: handler) }
    let wanted = Array(name.utf8)
    let place = scanner.place
    var isFound = false
    guard try scanner.peek() == UInt8(ascii: "{") else {
      throw scanner.fault("expected an object with '\(name)', which contains the rows")
    }
    try scanner.object { key in
      guard key.elementsEqual(wanted) else { return try scanner.skipValue() }
      let place = try scanner.placeOfNext()
      guard !isFound else {
        throw JSONFault(
          message: "duplicate key '\(name)' in the object that contains the rows", place: place)
      }
      isFound = true
      try find(path.dropFirst(), scanner: scanner, handler: handler)
    }
    if !isFound {
      throw JSONFault(message: "the object has no '\(name)', which should contain the rows", place: place)
    }
  }

  /// Rows in an object, by what they are called there.
  private func members(
    _ keyField: Int, _ scanner: JSONScanner, _ handler: some RowHandler
  ) throws {
    let record = Record(shape)
    try scanner.object { name in
      // The scanner uses its memory anew for the row.
      let key = Array(name)
      let place = try scanner.placeOfNext()
      guard try read(record, scanner: scanner, handler: handler) else { return }
      record.text = scanner.markedBytes
      try key.withUnsafeBufferPointer { bytes in
        let name = Field(kind: .text, start: bytes.baseAddress, count: bytes.count, place: place)
        if record.fields[keyField].kind == .absent {
          record.fields[keyField] = name
        } else {
          record.name = name
        }
        try handler.row(record)
      }
      scanner.unmark()
    }
  }

  /// Reads a row, which stays marked; one that is no row is reported and passed over.
  ///
  /// - Returns: whether there is a row.
  private func read(_ record: Record, scanner: JSONScanner, handler: some RowHandler) throws -> Bool {
    scanner.mark()
    do {
      try JSONRow(scanner).read(into: record)
      return true
    } catch let fault as JSONFault where !fault.isSyntax {
      scanner.rewind()
      try scanner.skipValue()
      record.text = scanner.markedBytes
      try handler.fault(fault.inRow(record.kept))
      scanner.unmark()
      return false
    }
  }

  private func list(_ scanner: JSONScanner, handler: some RowHandler) throws {
    if let keyField, try scanner.peek() == UInt8(ascii: "{") {
      return try members(keyField, scanner, handler)
    }
    guard try scanner.peek() == UInt8(ascii: "[") else { throw scanner.fault("expected the list of rows") }
    let record = Record(shape)
    try scanner.array {
      guard try read(record, scanner: scanner, handler: handler) else { return }
      record.text = scanner.markedBytes
      try handler.row(record)
      scanner.unmark()
    }
  }

  /// What leads to the list of rows, and closes it.
  private func frame(_ path: [String]) -> FileFrame {
    let names = path.map { "{\($0.quotedForJSON):" }.joined()
    return FileFrame(
      head: names + "[\n", separator: ",\n", tail: "\n]" + path.map { _ in "}" }.joined() + "\n")
  }
}

/// A member that nothing is called by, and its location.
private struct JSONUnknown: Error {
  var name: UnknownName
  var place: Place
}

/// Reads one row.
private struct JSONRow {
  let scanner: JSONScanner

  init(_ scanner: JSONScanner) {
    self.scanner = scanner
  }

  func read(into record: Record) throws {
    record.clear(at: scanner.place)
    if try scanner.peek() == UInt8(ascii: "{") {
      try members(of: record, at: 0)
    } else if record.shape.nodes[0].field != nil {
      try value(record, at: 0)
    } else {
      throw scanner.meaning("expected an object, found \(try scanner.kind())")
    }
  }

  private func members(of record: Record, at node: Int) throws {
    let start = scanner.offset + 1
    var isFirst = node == 0
    if isFirst { record.gap = start..<start }
    try scanner.object { key in
      if let child = record.shape.child(of: node, key) {
        try value(record, at: child)
      } else if isFirst, key.elementsEqual(RowText.reasonsName.utf8) {
        try scanner.skipValue()
        let hasMore = try scanner.peek() == UInt8(ascii: ",")
        record.gap = start..<scanner.offset + (hasMore ? 1 : 0)
      } else if record.shape.allows(key) {
        try scanner.skipValue()
      } else {
        throw JSONUnknown(name: record.shape.unknown(key, what: "member"), place: scanner.place)
      }
      isFirst = false
    }
  }

  private func value(_ record: Record, at node: Int) throws {
    let shape = record.shape.nodes[node]
    let first = try scanner.peek()
    if let nested = shape.nested {
      try rows(nested, of: record, first)
    } else if first == UInt8(ascii: "{"), !shape.names.isEmpty {
      try members(of: record, at: node)
    } else if let field = shape.field {
      guard record.fields[field].kind == .absent else {
        let name = record.shape.paths[field].joined(separator: ".")
        throw scanner.meaning("duplicate name '\(name)' in the row")
      }
      guard first != UInt8(ascii: "{"), first != UInt8(ascii: "[") else {
        throw scanner.meaning("expected one value, found \(try scanner.kind())")
      }
      record.fields[field] = try scanner.scalar()
    } else {
      guard first == UInt8(ascii: "n") else {
        throw scanner.meaning("expected an object, found \(try scanner.kind())")
      }
      _ = try scanner.scalar()
    }
  }

  private func rows(_ nested: Int, of record: Record, _ first: UInt8) throws {
    func row() throws {
      let place = try scanner.placeOfNext()
      try JSONRow(scanner).read(into: record.add(nested, at: place))
    }
    switch first {
    case UInt8(ascii: "["): try scanner.array(row)
    case UInt8(ascii: "n"): _ = try scanner.scalar()
    default: try row()
    }
  }
}
