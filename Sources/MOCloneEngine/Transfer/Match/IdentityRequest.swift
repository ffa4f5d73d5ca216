import MOCloneModel

/// What a call names as identifying, in place of uniqueness constraints.
///
/// ```swift
/// let byName: IdentityRequest = ["Item": ["name"], "Translation": ["article.name", "language.name"]]
/// ```
public struct IdentityRequest: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// The paths by entity; they hold for sub-entities that are not named too.
  public var paths: [String: [String]]
  /// The paths of every other entity that has them all: of those that the call names, and of those without a constraint of
  /// their own. A call that names none means all, but for a constraint of these names and more, as the name of an option
  /// within its product.
  public var common: [String]

  /// Creates a request; without paths every entity is identified as its model says.
  public init(_ paths: [String: [String]] = [:], common: [String] = []) {
    self.paths = paths
    self.common = common
  }

  /// Creates a request from paths by entity; paths of an entity that is named again are added.
  public init(dictionaryLiteral elements: (String, [String])...) {
    self.init(Dictionary(elements) { $0 + $1 })
  }

  /// Reads what stands behind `--by`: `NAME[,NAME]` or `ENTITY=NAME[,NAME]`, each once.
  ///
  /// - Throws: `CloneError` (`invalid-value`) with everything that is no such text.
  public init(texts: [String]) throws {
    self.init([:])
    var failures: [CloneError.Failure] = []
    for text in texts {
      let sides = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let names = sides[sides.count - 1].split(separator: ",", omittingEmptySubsequences: false)
        .map { String($0.trimmed) }
      let entity = sides.count == 2 ? String(sides[0].trimmed) : nil
      if names.contains("") || entity == "" {
        failures.append(
          .init(
            .invalidValue, "'--by \(text)' is not valid",
            help: "expected [ENTITY=]NAME[,NAME]"))
      } else if paths[entity ?? ""] != nil || (entity == nil && !common.isEmpty) {
        failures.append(
          .init(.invalidValue, "'--by \(text)' is a duplicate for \(entity ?? "all entities")"))
      } else if let entity {
        paths[entity] = names
      } else {
        common = names
      }
    }
    if !failures.isEmpty { throw CloneError(failures) }
  }
}

extension Substring {
  /// Without spaces at its ends.
  fileprivate var trimmed: Substring {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return text
  }
}
