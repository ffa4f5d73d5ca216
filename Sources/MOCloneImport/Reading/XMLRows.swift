#if canImport(CLibXML)
  import CLibXML
  import MOCloneEngine

  /// Makes rows of elements as the parser goes through them.
  final class XMLRows {
    private static let greatestDepth = 64
    private static let longestText = ByteWindow.longestRow

    /// Set by the parser.
    var context: xmlParserCtxtPtr?
    /// What ended the reading.
    private(set) var error: (any Error)?
    private let file: String
    private let path: [[UInt8]]
    private let handler: any RowHandler
    private let record: Record
    private let arena = TextArena()
    private var depth = 0
    /// How many names of the path are open.
    private var matched = 0
    /// Elements of a row that nobody asked for are open.
    private var ignored = 0
    private var frames: [Frame] = []
    private var fault: RowFault?
    /// The row under way as it is written down again; nil where nobody wants it.
    private var copy: XMLRowCopy?

    /// An open element of a row.
    private struct Frame {
      var record: Record
      var node: Int
      /// The value that the element's text is.
      var field: Int?
      var place: Place
      var text: [UInt8] = []
      /// Whether elements that are asked for stand in it.
      var holdsElements = false
    }

    init(_ shape: RecordShape, path: [String], file: String, handler: any RowHandler) {
      record = Record(shape)
      self.path = path.map { Array($0.utf8) }
      self.file = file
      self.handler = handler
      copy = handler.wantsText ? XMLRowCopy(path) : nil
    }

    static func of(_ target: UnsafeMutableRawPointer?) -> XMLRows {
      Unmanaged<XMLRows>.fromOpaque(target!).takeUnretainedValue()
    }

    private func stop(_ error: any Error) {
      self.error = self.error ?? error
      xmlStopParser(context)
    }

    func refuseDoctype() {
      stop(
        ImportFault.broken(
          file, place: place,
          message: "a DOCTYPE is not allowed, because it could include other files",
          help: "remove it"))
    }

    // MARK: Elements

    func begin(_ name: XMLName, _ attributes: XMLAttributes, _ namespaces: XMLNamespaces) {
      guard error == nil else { return }
      beginAsRead(name, attributes: attributes)
      // An element outside of rows opened none.
      copy?.begin(name, attributes: attributes, namespaces: namespaces, isInRow: !frames.isEmpty)
    }

    private func beginAsRead(_ name: XMLName, attributes: XMLAttributes) {
      depth += 1
      if depth > Self.greatestDepth {
        return stop(
          ImportFault.broken(
            file, place: place, message: "elements are nested more than \(Self.greatestDepth) levels deep"))
      }
      if frames.isEmpty { return beginOutside(name, attributes: attributes) }
      if ignored > 0 {
        ignored += 1
        return
      }
      let frame = frames[frames.count - 1]
      guard let node = name.with({ frame.record.shape.child(of: frame.node, $0) }) else {
        ignored = 1
        name.with { check($0, shape: frame.record.shape, what: "element") }
        if !name.with({ frame.record.shape.ignores($0) }) { refuseMixed(frame) }
        return
      }
      frames[frames.count - 1].holdsElements = true
      let place = placeOfTag
      if let nested = frame.record.shape.nodes[node].nested {
        open(frame.record.add(nested, at: place), node: 0, place: place, attributes: attributes)
      } else {
        open(frame.record, node: node, place: place, attributes: attributes)
      }
    }

    private func check(_ name: UnsafeBufferPointer<UInt8>, shape: RecordShape, what: String) {
      guard !shape.allows(name) else { return }
      stop(CloneError([shape.unknown(name, what: what).failure(file, placeOfTag)]))
    }

    /// Whether some element was a row.
    private(set) var hasRows = false

    private func beginOutside(_ name: XMLName, attributes: XMLAttributes) {
      guard isRow(name) else { return }
      if !hasRows, let copy { handler.begin(copy.frame) }
      hasRows = true
      copy?.clear()
      arena.clear()
      fault = nil
      let place = placeOfTag
      record.clear(at: place)
      open(record, node: 0, place: place, attributes: attributes)
    }

    private func isRow(_ name: XMLName) -> Bool {
      if path.count == 1 { return name.isEqual(path[0]) }
      guard matched == depth - 1, depth <= path.count, name.isEqual(path[depth - 1]) else { return false }
      matched = depth
      return depth == path.count
    }

    private func open(_ record: Record, node: Int, place: Place, attributes: XMLAttributes) {
      frames.append(Frame(record: record, node: node, field: record.shape.nodes[node].field, place: place))
      for i in 0..<attributes.count {
        guard let child = attributes.name(i).with({ record.shape.child(of: node, $0) }),
          let field = record.shape.nodes[child].field
        else {
          attributes.name(i).with { check($0, shape: record.shape, what: "attribute") }
          continue
        }
        let value = attributes.value(i)
        record.fields[field] = Field(
          kind: .text, start: arena.copy(value), count: value.count, place: self.place(of: value.baseAddress))
      }
    }

    func end(_ name: XMLName) {
      guard error == nil else { return }
      if !frames.isEmpty { copy?.end(name) }
      depth -= 1
      if ignored > 0 {
        ignored -= 1
        return
      }
      guard let frame = frames.popLast() else {
        matched = min(matched, depth)
        return
      }
      if let field = frame.field { set(field, frame: frame) }
      guard frames.isEmpty else { return }
      matched = min(matched, depth)
      do { try finish() } catch { stop(error) }
    }

    private func finish() throws {
      record.copy = copy?.row
      defer { record.copy = nil }
      guard var fault else { return try handler.row(record) }
      fault.text = record.copy
      try handler.fault(fault)
    }

    private func set(_ field: Int, frame: Frame) {
      guard frame.record.fields[field].kind == .absent else {
        let name = frame.record.shape.paths[field].joined(separator: "/")
        fault = fault ?? RowFault("duplicate name '\(name)' in the row", at: frame.place)
        return
      }
      let text = frame.text
      if frame.holdsElements, !text.allSatisfy(\.isBlank) { refuseMixed(frame) }
      let start = text.withUnsafeBufferPointer { arena.copy($0) }
      frame.record.fields[field] = Field(kind: .text, start: start, count: text.count, place: frame.place)
    }

    /// The value of an element would lose what stands within its text.
    private func refuseMixed(_ frame: Frame) {
      guard let field = frame.field else { return }
      let path = frame.record.shape.paths[field].joined(separator: "/")
      fault =
        fault
        ?? RowFault(
          "\(path.isEmpty ? "the row" : "'\(path)'") has elements within its text, which no value can hold",
          help: "remove their tags, or write these as text, such as '&lt;b>'", at: frame.place)
    }

    func append(_ text: UnsafeBufferPointer<UInt8>) {
      guard error == nil, let last = frames.indices.last else { return }
      copy?.append(text)
      guard ignored == 0 else { return }
      guard frames[last].field != nil else {
        if !text.allSatisfy(\.isBlank) {
          fault =
            fault ?? RowFault("the row contains text that is not mapped", help: "map it with '@'", at: place)
        }
        return
      }
      frames[last].text.append(contentsOf: text)
      if frames[last].text.count > Self.longestText {
        stop(
          ImportFault.broken(
            file, place: place, message: "a value is larger than the limit of \(Self.longestText >> 20) MB"))
      }
    }

    // MARK: Places

    /// Where the parser is.
    var place: Place {
      guard let input = context?.pointee.input else { return Place(line: 1, column: 1) }
      return Place(line: Int(input.pointee.line), column: Int(input.pointee.col))
    }

    /// Where the start tag begins whose end the parser has come to; no value in a tag holds its sign.
    private var placeOfTag: Place {
      guard let input = context?.pointee.input?.pointee, let end = input.cur, let base = input.base else {
        return place
      }
      var start = end
      while start > base, start.pointee != UInt8(ascii: "<") { start -= 1 }
      return place(of: start)
    }

    /// Counts back from where the parser is to what it has just read.
    private func place(of start: UnsafePointer<UInt8>?) -> Place {
      guard let input = context?.pointee.input?.pointee, let start, let end = input.cur,
        let base = input.base,
        start >= base, start <= end
      else { return place }
      var lines = 0
      var characters = 0
      for byte in UnsafeBufferPointer(start: start, count: end - start) {
        if byte == 0x0A { lines += 1 }
        if byte & 0xC0 != 0x80 { characters += 1 }
      }
      guard lines > 0 else { return Place(line: Int(input.line), column: Int(input.col) - characters) }
      var column = 1
      var back = start
      while back > base, (back - 1).pointee != 0x0A {
        back -= 1
        if back.pointee & 0xC0 != 0x80 { column += 1 }
      }
      return Place(line: Int(input.line) - lines, column: column)
    }
  }
#endif
