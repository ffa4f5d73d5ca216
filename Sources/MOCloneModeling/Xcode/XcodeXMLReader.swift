import CLibXML
import MOCloneImport
import MOCloneModel

/// Reads the XML of an Xcode model by libxml2, with the place of every value.
///
/// A DOCTYPE is refused, so that there are no entities but those of XML itself; nothing else is ever opened.
final class XcodeXMLReader {
  /// Xcode's own files go five levels deep.
  private static let greatestDepth = 64
  /// Elements and attributes; more than any model has, and few enough to hold in memory.
  private static let mostValues = 300_000
  /// libxml2 compares each attribute of an element with all before it.
  private static let mostAttributes = 5_000

  private let text: [UInt8]
  private var places: TextPlaces
  private var context: xmlParserCtxtPtr?
  private var open: [XcodeElement] = []
  private var root: XcodeElement?
  private var values = 0
  private var fault: Diagnostic?
  /// What the XML has besides elements.
  private(set) var remarks = XcodeRemarks()

  private init(_ text: [UInt8]) {
    self.text = text
    places = TextPlaces(text)
  }

  /// The root element of a text, and what it has besides elements.
  ///
  /// - Throws: `ModelError` where the text is not well-formed, or larger than any model.
  static func read(_ source: SourceFile) throws(ModelError) -> (root: XcodeElement, remarks: XcodeRemarks) {
    let reader = XcodeXMLReader(Array(source.text.utf8))
    do throws(ModelError) {
      return (try reader.read(), reader.remarks)
    } catch {
      throw ModelError(diagnostics: error.diagnostics, source: source)
    }
  }

  private func read() throws(ModelError) -> XcodeElement {
    if let tag = TagScanner.place(in: text, withMoreThan: Self.mostAttributes) {
      throw ModelError(.tooManyValues(places.point(tag)))
    }
    var handler = Self.handler
    let target = Unmanaged.passUnretained(self).toOpaque()
    guard let context = xmlCreatePushParserCtxt(&handler, target, nil, 0, nil) else {
      throw ModelError(.brokenXML("libxml2 has not enough memory for a parser", range: nil))
    }
    defer { xmlFreeParserCtxt(context) }
    self.context = context
    // Without NOENT an ampersand of an attribute would arrive as a reference to it; the text is UTF-8 whatever it says.
    let options = [
      XML_PARSE_NOENT, XML_PARSE_NONET, XML_PARSE_NOERROR, XML_PARSE_NOWARNING, XML_PARSE_IGNORE_ENC,
    ].map { Int32($0.rawValue) }.reduce(0, |)
    xmlCtxtUseOptions(context, options)
    text.withUnsafeBytes { bytes in
      _ = xmlParseChunk(
        context, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(bytes.count), 1)
    }
    if let fault { throw ModelError(fault) }
    guard context.pointee.wellFormed != 0, let root else { throw ModelError(problem(context)) }
    return root
  }

  private func problem(_ context: xmlParserCtxtPtr) -> Diagnostic {
    let error = xmlCtxtGetLastError(context)
    let message = error.flatMap { $0.pointee.message.map { String(cString: $0) } } ?? "it has no root element"
    let line = message.split(separator: "\n").first.map(String.init) ?? message
    return .brokenXML("the XML is not well-formed: \(line)", range: places.point(offset))
  }

  private static var handler: xmlSAXHandler {
    var handler = xmlSAXHandler()
    handler.initialized = XML_SAX2_MAGIC
    handler.internalSubset = { target, _, _, _ in XcodeXMLReader.of(target).refuseDoctype() }
    handler.startElementNs = { target, name, prefix, _, spaceCount, spaces, count, _, attributes in
      XcodeXMLReader.of(target).begin(
        XMLName(name, prefix), attributes: XMLAttributes(attributes, count: Int(count)),
        namespaces: XMLNamespaces(spaces, count: Int(spaceCount)))
    }
    handler.endElementNs = { target, _, _, _ in XcodeXMLReader.of(target).end() }
    handler.characters = { target, text, count in
      XcodeXMLReader.of(target).append(UnsafeBufferPointer(start: text, count: Int(count)))
    }
    handler.cdataBlock = handler.characters
    handler.comment = { target, _ in XcodeXMLReader.of(target).remarks.comments += 1 }
    return handler
  }

  private static func of(_ target: UnsafeMutableRawPointer?) -> XcodeXMLReader {
    Unmanaged<XcodeXMLReader>.fromOpaque(target!).takeUnretainedValue()
  }

  private func refuseDoctype() { stop(.doctype(placeOfTag)) }

  private func stop(_ fault: Diagnostic) {
    self.fault = self.fault ?? fault
    xmlStopParser(context)
  }

  // MARK: Elements

  private func begin(_ name: XMLName, attributes: XMLAttributes, namespaces: XMLNamespaces) {
    guard fault == nil else { return }
    values += 1 + attributes.count + namespaces.count
    var tag = TagScanner(text, behind: offset)
    let place = places.range(tag.name)
    guard open.count < Self.greatestDepth else { return stop(.nestedTooDeep(place)) }
    guard values <= Self.mostValues else { return stop(.tooManyValues(place)) }
    var element = XcodeElement(name: name.with { String(decoding: $0, as: UTF8.self) }, range: place)
    var ranges: [String: SourceRange] = [:]
    while let (name, value) = tag.attribute() { ranges[name] = places.range(value) }
    for i in 0..<namespaces.count {
      let name = String(decoding: namespaces.name(i), as: UTF8.self)
      element.attributes.append(
        .init(name: name, value: String(decoding: namespaces.address(i), as: UTF8.self)))
    }
    for i in 0..<attributes.count {
      let name = attributes.name(i).with { String(decoding: $0, as: UTF8.self) }
      element.attributes.append(
        .init(
          name: name, value: String(decoding: attributes.value(i), as: UTF8.self),
          range: ranges[name] ?? place))
    }
    open.append(element)
  }

  private func end() {
    guard fault == nil, let element = open.popLast() else { return }
    if open.isEmpty { root = element } else { open[open.count - 1].children.append(element) }
  }

  private func append(_ text: UnsafeBufferPointer<UInt8>) {
    guard fault == nil, text.contains(where: { $0 != 0x20 && !(0x09...0x0D).contains($0) }) else { return }
    remarks.texts.insert(open.last?.name ?? "")
  }

  // MARK: Places

  /// How many bytes of the text the parser has gone through.
  private var offset: Int {
    guard let input = context?.pointee.input?.pointee, let base = input.base, let current = input.cur else {
      return 0
    }
    return min(max(0, Int(input.consumed) + (current - base)), text.count)
  }

  private var placeOfTag: SourceRange { places.range(TagScanner(text, behind: offset).name) }
}

/// What XML has besides elements and their attributes.
struct XcodeRemarks: Sendable {
  var comments = 0
  /// The elements that hold text, which Xcode's never do.
  var texts: Set<String> = []
}

extension Diagnostic {
  static func brokenXML(_ message: String, range: SourceRange?) -> Diagnostic {
    Diagnostic(
      .syntax, at: .model, message, help: "open the model in Xcode and save it again, or restore the file",
      range: range)
  }

  static func doctype(_ range: SourceRange) -> Diagnostic {
    Diagnostic(
      .syntax, at: .model, "a DOCTYPE is not allowed, because it could include other files",
      help: "remove the DOCTYPE", range: range)
  }
}
