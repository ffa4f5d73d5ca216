import CYAML
import Foundation
import MOCloneModel

/// One step of libyaml through a text.
struct YAMLEvent {
  enum Kind {
    case streamStart, streamEnd, documentStart, documentEnd
    case alias
    case scalar(String, isPlain: Bool)
    case sequenceStart, sequenceEnd
    case mappingStart(isFlow: Bool)
    case mappingEnd
  }

  var kind: Kind
  var range: SourceRange
  var tag: String?
}

extension String {
  /// What is read of the text's bytes.
  func readingUTF8<Value>(
    _ read: (UnsafeBufferPointer<UInt8>) throws(ModelError) -> Value
  ) throws(ModelError) -> Value {
    var text = self
    // Its bytes lie together from here on.
    text.makeContiguousUTF8()
    let result = text.utf8.withContiguousStorageIfAvailable { bytes in
      Result { () throws(ModelError) in try read(bytes) }
    }
    return try result!.get()
  }
}

/// The events of a text; valid as long as the bytes it was made with.
final class YAMLEventSource {
  private var parser = yaml_parser_t()

  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    yaml_parser_initialize(&parser)
    yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(&parser, bytes.baseAddress, bytes.count)
  }

  deinit {
    yaml_parser_delete(&parser)
  }

  /// - Throws: `ModelError` with the one syntax finding that ends the reading.
  func next() throws(ModelError) -> YAMLEvent {
    var event = yaml_event_t()
    guard yaml_parser_parse(&parser, &event) == 1 else { throw ModelError(problem) }
    defer { yaml_event_delete(&event) }
    return YAMLEvent(event)
  }

  private var problem: Diagnostic {
    if let key = unspacedKey { return key }
    let problem = parser.problem.map { String(cString: $0) } ?? "the file cannot be parsed"
    let begin = SourceRange.point(
      line: parser.context_mark.line + 1, column: parser.context_mark.column + 1)
    let context = parser.context.map { (text: String(cString: $0), place: begin) }
    let mark = parser.problem_mark
    let place =
      parser.error == YAML_READER_ERROR
      ? readerPlace : .point(line: mark.line + 1, column: mark.column + 1)
    if problem.contains("cannot start any token"), rest(ofLine: mark.line, from: mark.column)?.first == "\t" {
      return .tabIndentation(place)
    }
    // A bracket that nothing closes is the fault; the reading gives up only where the next lines make no sense.
    if problem.hasPrefix("did not find expected ',' or") {
      return .unclosed(problem, context: context?.text, at: begin, gaveUp: place)
    }
    return .syntax(problem, context: context, at: place)
  }

  /// `name:value`, which YAML takes for a key that goes on in the lines below.
  private var unspacedKey: Diagnostic? {
    guard parser.context.map({ String(cString: $0) }) == "while scanning a simple key" else { return nil }
    let (line, column) = (parser.context_mark.line, parser.context_mark.column)
    guard let words = rest(ofLine: line, from: column)?.prefix(while: { !$0.properties.isWhitespace }) else {
      return nil
    }
    let key = String(String.UnicodeScalarView(words))
    guard let colon = key.firstIndex(of: ":"), key.index(after: colon) < key.endIndex else { return nil }
    let start = SourceRange.Position(line: line + 1, column: column + 1)
    let end = SourceRange.Position(line: line + 1, column: column + 1 + words.count)
    return .missingSpace(key, colon: colon, range: SourceRange(start: start, end: end))
  }

  /// The characters of a line from a column on, both counted from 0.
  private func rest(ofLine line: Int, from column: Int) -> Substring.UnicodeScalarView? {
    let input = parser.input.string
    let text = Data(bytes: input.start, count: input.end - input.start)
    let lines = text.split(separator: 0x0A, maxSplits: line + 1, omittingEmptySubsequences: false)
    guard line < lines.count else { return nil }
    return String(decoding: lines[line], as: UTF8.self).unicodeScalars.dropFirst(column)
  }

  /// Characters that YAML forbids are known by their offset in bytes alone.
  private var readerPlace: SourceRange {
    let input = parser.input.string
    let bytes = Data(bytes: input.start, count: min(parser.problem_offset, input.end - input.start))
    return .point(afterUTF8: bytes)
  }
}

extension YAMLEvent {
  fileprivate init(_ event: yaml_event_t) {
    range = SourceRange(event.start_mark, end: event.end_mark)
    switch event.type {
    case YAML_STREAM_START_EVENT: kind = .streamStart
    case YAML_DOCUMENT_START_EVENT: kind = .documentStart
    case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
    case YAML_ALIAS_EVENT: kind = .alias
    case YAML_SEQUENCE_END_EVENT: kind = .sequenceEnd
    case YAML_MAPPING_END_EVENT: kind = .mappingEnd
    case YAML_SCALAR_EVENT:
      let scalar = event.data.scalar
      let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
      kind = .scalar(
        String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
      tag = Self.text(scalar.tag)
    case YAML_SEQUENCE_START_EVENT:
      kind = .sequenceStart
      tag = Self.text(event.data.sequence_start.tag)
    case YAML_MAPPING_START_EVENT:
      kind = .mappingStart(isFlow: event.data.mapping_start.style == YAML_FLOW_MAPPING_STYLE)
      tag = Self.text(event.data.mapping_start.tag)
    default: kind = .streamEnd
    }
  }

  private static func text(_ pointer: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    pointer.map { String(decodingCString: $0, as: UTF8.self) }
  }
}

extension SourceRange {
  fileprivate init(_ start: yaml_mark_t, end: yaml_mark_t) {
    self.init(
      start: Position(line: start.line + 1, column: start.column + 1),
      end: Position(line: end.line + 1, column: end.column + 1))
  }
}
