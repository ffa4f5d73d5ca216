import MOCloneModel

/// What a YAML file of a project is, as far as its first level shows it.
package enum FileKind: Sendable, Hashable {
  case model, mapping, settings
  /// A file of another program.
  case other

  package init(of source: SourceFile) {
    if source.isSettings {
      self = .settings
      return
    }
    let (keys, isWhole) = FirstLevel.read(source.text)
    let names = Set(keys.map(\.name))
    if names.contains("entities") || (!isWhole && source.text.hasKey("entities")) {
      self = .model
    } else if names.contains("entity"), names.contains(where: Self.isOfMapping) {
      self = .mapping
    } else if keys.contains(where: { $0.name == "version" && $0.value == "1" }), Self.isMeantAsModel(names) {
      self = .model
    } else {
      self = .other
    }
  }

  /// Whether a key is one of an import's mapping, or almost one.
  private static func isOfMapping(_ name: String) -> Bool {
    let keys = ["attributes", "relationships", "rows", "set"]
    return keys.contains(name) || nearestName(to: name, in: keys) != nil
  }

  /// Whether a file of version 1 lacks its entities by a slip only.
  private static func isMeantAsModel(_ names: Set<String>) -> Bool {
    names.isSubset(of: FormatMap.model.names)
      || names.contains { nearestName(to: $0, in: ["entities"]) != nil }
  }
}

extension SourceFile {
  /// Whether the file is the settings of a project, which their name tells.
  package var isSettings: Bool { path.split(separator: "/").last == "moclone.yml" }
}

extension String {
  /// Whether a key of that name is anywhere in a text that cannot be read.
  fileprivate func hasKey(_ name: String) -> Bool {
    var rest = self[...]
    while let found = rest.range(of: name) {
      rest = rest[found.upperBound...]
      if rest.drop(while: { "\"' ".contains($0) }).first == ":" { return true }
    }
    return false
  }
}

/// The keys of the first level of a text, and the values of those that are plain.
private enum FirstLevel {
  typealias Key = (name: String, value: String?)
  private static let mostKeys = 1000

  /// - Returns: the keys up to a fault, and whether there was none.
  static func read(_ text: String) -> (keys: [Key], isWhole: Bool) {
    var text = text
    return text.withUTF8 { bytes in
      let source = YAMLEventSource(bytes)
      var keys: [Key] = []
      var key: String?
      var depth = 0
      while keys.count < mostKeys {
        guard let event = try? source.next() else { return (keys, false) }
        switch event.kind {
        case .documentEnd, .streamEnd: return (keys, true)
        case .mappingStart, .sequenceStart: depth += 1
        case .mappingEnd, .sequenceEnd:
          depth -= 1
          guard depth == 1 else { continue }
          if let name = key { keys.append((name, nil)) }
          key = nil
        case .scalar(let scalar, _) where depth == 1:
          if let name = key { keys.append((name, scalar)) }
          key = key == nil ? scalar : nil
        default: continue
        }
      }
      return (keys, true)
    }
  }
}
