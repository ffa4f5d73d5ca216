/// Names that nobody can type, read or tell apart.
extension ModelChecks {
  func namesCanBeRead() -> [Diagnostic] {
    declared.flatMap { entity -> [Diagnostic] in
      let properties =
        entity.attributes.map { ($0.name, $0.path) } + entity.relationships.map { ($0.name, $0.path) }
      let names =
        [("entity", entity.name, ModelPath.entity(entity.name))]
        + properties.map { ("property of '\(entity.name.printable)'", $0.0, $0.1) }
      return names.compactMap { kind, name, path in
        // Only what has no name at all cannot be used.
        name.faultAsName.map {
          .invalidName(name, of: kind, fault: $0, at: path, severity: name.isEmpty ? .error : .warning)
        }
      }
    }
  }
}

extension String {
  /// What keeps people from reading or writing the name.
  fileprivate var faultAsName: String? {
    if isEmpty { return "is empty" }
    // Most names are plain, and looking up what Unicode says of each character takes time.
    if utf8.allSatisfy({ (0x21...0x7e).contains($0) && $0 != UInt8(ascii: ".") }) { return nil }
    if unicodeScalars.contains(where: \.isUnprintable) { return "has characters that cannot be seen" }
    let isBlank = [unicodeScalars.first, unicodeScalars.last].contains { $0?.properties.isWhitespace == true }
    if isBlank { return "begins or ends with a blank" }
    // Foundation's search for a text takes a tenth of the time of a large model.
    return utf8.contains(UInt8(ascii: ".")) ? "has a dot, which separates the entity from the property" : nil
  }
}

extension Diagnostic {
  fileprivate static func invalidName(
    _ name: String, of kind: String, fault: String, at path: ModelPath, severity: Severity
  ) -> Diagnostic {
    Diagnostic(
      .invalidName, severity, at: path,
      "the name '\(name.shortened.printable)' of \(kind.withArticle) \(fault)",
      help: "give it another name; 'table:' and 'column:' say how the database spells it")
  }
}
