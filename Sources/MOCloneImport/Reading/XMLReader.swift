#if canImport(CLibXML)
  import CLibXML
  import MOCloneEngine
  import MOCloneModel

  /// Reads XML by libxml2, a block of the file at a time: each element of a name is a row, its attributes and the strings
  /// of its child elements are values.
  ///
  /// A DOCTYPE is refused, so that there are no entities but those of XML itself; nothing else is ever opened.
  package struct XMLReader: RowReader {
    private let source: ByteSource
    private let shape: RecordShape
    private let path: [String]

    /// - Parameter path: the element's name, wherever it is, or the names from the root down to it.
    package init(_ source: ByteSource, shape: RecordShape, path: [String]) {
      self.source = source
      self.shape = shape
      self.path = path
    }

    package func read(_ handler: some RowHandler) throws {
      let rows = XMLRows(shape, path: path, file: source.name, handler: handler)
      try XMLPushParser(rows).read(source)
      guard !rows.hasRows else { return }
      throw ImportFault.broken(
        source.name, place: Place(line: 1, column: 1),
        message: "the file has no element '\(path.joined(separator: "/"))' for the rows")
    }
  }

  /// libxml2's parser, fed with blocks.
  private final class XMLPushParser {
    private static let block = 1 << 16
    private let rows: XMLRows
    private let context: xmlParserCtxtPtr

    init(_ rows: XMLRows) throws {
      self.rows = rows
      var handler = Self.handler
      let target = Unmanaged.passUnretained(rows).toOpaque()
      guard let context = xmlCreatePushParserCtxt(&handler, target, nil, 0, nil) else {
        throw CloneError(.brokenFile, "libxml2 has not enough memory for a parser")
      }
      self.context = context
      rows.context = context
      // Without NOENT an ampersand of an attribute would arrive as a reference to it; there are no other entities.
      let options = [XML_PARSE_NOENT, XML_PARSE_NONET, XML_PARSE_NOERROR, XML_PARSE_NOWARNING]
        .map(\.rawValue).reduce(0, |)
      xmlCtxtUseOptions(context, Int32(options))
    }

    deinit {
      xmlFreeParserCtxt(context)
    }

    func read(_ source: ByteSource) throws {
      let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.block, alignment: 1)
      defer { block.deallocate() }
      var (isAtEnd, isBlank) = (false, true)
      var tags = XMLTagGuard()
      while !isAtEnd {
        let count = try source.read(into: block)
        isAtEnd = count == 0
        isBlank = isBlank && block[..<count].allSatisfy(\.isBlank)
        if isAtEnd, isBlank {
          throw ImportFault.broken(
            source.name, place: Place(line: 1, column: 1), message: "the file is empty")
        }
        if tags.isExceeded(by: UnsafeRawBufferPointer(rebasing: block[..<count])) {
          throw ImportFault.broken(
            source.name, place: rows.place,
            message: "an element has more attributes than the limit of \(XMLTagGuard.mostAttributes)")
        }
        xmlParseChunk(
          context, block.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(count), isAtEnd ? 1 : 0)
        if let error = rows.error { throw error }
        if context.pointee.wellFormed == 0 || (isAtEnd && context.pointee.errNo != 0 && !isNamespaceError) {
          throw problem(in: source.name)
        }
      }
    }

    /// A prefix that nobody declared harms no row.
    private var isNamespaceError: Bool { context.pointee.wellFormed == 1 }

    private func problem(in file: String) -> CloneError {
      guard let error = xmlCtxtGetLastError(context) else {
        return ImportFault.broken(file, place: rows.place, message: "the file is not valid XML")
      }
      let message = error.pointee.message.map { String(cString: $0) } ?? "the file is not valid XML"
      var line = message.split(separator: "\n").first.map(String.init) ?? message
      if line.contains("Huge input lookup") { line = "a value is larger than the limit of 10 MB" }
      return ImportFault.broken(
        file, place: Place(line: max(1, Int(error.pointee.line)), column: max(1, Int(error.pointee.int2))),
        message: "the XML is broken: \(line)")
    }

    private static var handler: xmlSAXHandler {
      var handler = xmlSAXHandler()
      handler.initialized = XML_SAX2_MAGIC
      handler.internalSubset = { target, _, _, _ in XMLRows.of(target).refuseDoctype() }
      handler.startElementNs = { target, name, prefix, _, spaceCount, spaces, count, _, attributes in
        XMLRows.of(target).begin(
          XMLName(name, prefix), XMLAttributes(attributes, count: Int(count)),
          XMLNamespaces(spaces, count: Int(spaceCount)))
      }
      handler.endElementNs = { target, name, prefix, _ in XMLRows.of(target).end(XMLName(name, prefix)) }
      handler.characters = { target, text, count in
        XMLRows.of(target).append(UnsafeBufferPointer(start: text, count: Int(count)))
      }
      handler.cdataBlock = handler.characters
      return handler
    }
  }

  /// A name with its prefix, as it is written.
  package struct XMLName {
    let bytes: UnsafeBufferPointer<UInt8>
    private let whole: [UInt8]?

    package init(_ name: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?) {
      let local = UnsafeBufferPointer(start: name, count: Int(xmlStrlen(name)))
      bytes = local
      whole = prefix.map {
        Array(UnsafeBufferPointer(start: $0, count: Int(xmlStrlen($0)))) + [UInt8(ascii: ":")] + local
      }
    }

    package func with<T>(_ body: (UnsafeBufferPointer<UInt8>) -> T) -> T {
      whole.map { $0.withUnsafeBufferPointer(body) } ?? body(bytes)
    }

    package func isEqual(_ other: [UInt8]) -> Bool {
      with { $0.elementsEqual(other) }
    }
  }

  /// The namespaces that an element declares: two pointers each.
  package struct XMLNamespaces {
    private let pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    package let count: Int

    package init(_ pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int) {
      self.pointers = pointers
      self.count = count
    }

    /// The attribute that declares it.
    package func name(_ i: Int) -> [UInt8] {
      guard let prefix = pointers![i * 2] else { return Array("xmlns".utf8) }
      return Array("xmlns:".utf8) + UnsafeBufferPointer(start: prefix, count: Int(xmlStrlen(prefix)))
    }

    package func address(_ i: Int) -> UnsafeBufferPointer<UInt8> {
      let start = pointers![i * 2 + 1]
      return UnsafeBufferPointer(start: start, count: Int(xmlStrlen(start)))
    }
  }

  /// The attributes of an element: five pointers each.
  package struct XMLAttributes {
    private let pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
    package let count: Int

    package init(_ pointers: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?, count: Int) {
      self.pointers = pointers
      self.count = count
    }

    package func name(_ i: Int) -> XMLName { XMLName(pointers![i * 5], pointers![i * 5 + 1]) }

    package func value(_ i: Int) -> UnsafeBufferPointer<UInt8> {
      guard let start = pointers![i * 5 + 3], let end = pointers![i * 5 + 4] else {
        return UnsafeBufferPointer(start: nil, count: 0)
      }
      return UnsafeBufferPointer(start: start, count: end - start)
    }
  }
#endif
