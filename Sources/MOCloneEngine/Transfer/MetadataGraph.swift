import Foundation
import MOCloneModel

/// A graph whose store keeps texts about itself beside its objects, such as what was imported already.
///
/// ```swift
/// try graph.runOnce("default data") {
///   try graph.insert("Unit", ["name": "kg"])
/// }
/// ```
///
/// A SQLite store keeps them in the table `moclone_metadata`, which belongs to no entity.
public protocol MetadataGraph: ObjectGraph {
  /// Every key with its value.
  func metadata() throws -> [String: String]

  /// The value of a key, nil where there is none.
  func metadata(_ key: String) throws -> String?

  /// Sets the value of a key, in place of the one that it had.
  func setMetadata(_ value: String, for key: String) throws

  /// Removes a key of the metadata.
  ///
  /// - Returns: whether the key existed.
  @discardableResult
  func removeMetadata(_ key: String) throws -> Bool
}

extension MetadataGraph {
  /// Does something that must not happen to a store twice, and marks it as done in the same transaction.
  ///
  /// - Parameters:
  ///   - name: the key of the mark in the metadata.
  ///   - hash: what tells the input from another one, kept in the mark.
  ///   - body: what must not happen twice.
  /// - Returns: nil if the mark existed already, so that nothing was done.
  @discardableResult
  public func runOnce<Result>(
    _ name: String, hash: String? = nil, _ body: () throws -> Result
  ) throws -> Result? {
    try atomically {
      guard try onceMark(name) == nil else { return nil }
      let result = try body()
      try setMetadata(OnceMark(.done, hash: hash).text, for: name)
      return result
    }
  }

  /// Marks something as refused, so that `runOnce` does not do it either.
  public func declineOnce(_ name: String) throws {
    try setMetadata(OnceMark(.declined).text, for: name)
  }

  /// What is known of something that happens once; nil where it has neither happened nor been refused.
  public func onceMark(_ name: String) throws -> OnceMark? {
    try metadata(name).map(OnceMark.init(text:))
  }
}

/// That something happened to a store, or was refused: `done 2025-01-31T12:34:56.789Z sha256:...`.
public struct OnceMark: Sendable, Hashable {
  /// What became of something that happens once.
  public enum Answer: String, Sendable {
    /// It happened.
    case done
    /// It was refused, and is not to be asked again.
    case declined
  }

  /// The mark as the metadata hold it: the answer, the instant in ISO 8601, and the hash where one was given.
  public var text: String

  /// Creates a mark; the instant is the present one by default.
  public init(_ answer: Answer, hash: String? = nil, at date: Date = Date()) {
    text = ([answer.rawValue, ISODate.text(date)] + [hash].compactMap { $0 }).joined(separator: " ")
  }

  /// Reads a mark; whatever else stands under its key counts as done.
  public init(text: String) {
    self.text = text
  }

  /// The first word of the mark; `done` where it is neither answer.
  public var answer: Answer {
    text.split(separator: " ").first.flatMap { Answer(rawValue: String($0)) } ?? .done
  }

  /// Whether the text is a mark, and not another value of the metadata.
  package var isMark: Bool {
    let words = text.split(separator: " ")
    return words.count > 1 && Answer(rawValue: String(words[0])) != nil && words[1].contains("T")
  }

  /// The hash of the input, where one was given.
  public var hash: String? {
    text.split(separator: " ").first { $0.hasPrefix("sha256:") }.map(String.init)
  }
}

extension ObjectGraph {
  /// The marks of what happened once to this graph; none where it has no metadata.
  package func onceMarks() throws -> [String: String] {
    try (self as? any MetadataGraph)?.metadata().filter { OnceMark(text: $0.value).isMark } ?? [:]
  }
}
