import Foundation
import MOCloneKit

/// A result for people and for programs.
struct ResultText {
  let result: CloneResult
  /// The objects beside the subtrees that were made in another store; nil within one store, which has them all.
  private var created: [String: Int]?
  /// References to rows that do not exist, which were left out.
  private var dangling: [String: Int]?
  /// What was left out on the way into another store.
  private var skipped: [TransferReport.Skipped]?

  init(_ result: CloneResult) {
    self.result = result
  }

  /// The result of a clone into another store.
  init(_ result: SubtreeResult) {
    let report = result.report
    let cloned = report.cloned ?? [:]
    self.init(CloneResult(roots: result.roots, cloned: cloned, linked: report.found ?? [:]))
    created = (report.created ?? [:]).merging(cloned, uniquingKeysWith: -).filter { $0.value > 0 }
    dangling = report.dangling
    skipped = report.skipped
  }

  func text(_ format: OutputFormat) throws -> String {
    switch format {
    case .text: return result.roots.map { "\($0.key)\n" }.joined()
    case .json:
      return try json(roots: result.roots.map { JSONKey(key: $0.key) }).jsonText() + "\n"
    }
  }

  /// How many objects a run would clone and link.
  func counts(_ format: OutputFormat) throws -> String {
    switch format {
    case .json:
      return try json(roots: nil).jsonText() + "\n"
    case .text:
      let sections = [
        ("would clone", result.cloned), ("would create", created), ("would link", result.linked),
        ("dangling, would be null", dangling),
      ]
      return sections.flatMap { title, counts in
        (counts ?? [:]).sorted { $0.key < $1.key }.map { "\(title)  \($0.value)  \($0.key)\n" }
      }.joined()
    }
  }

  private func json(roots: [JSONKey]?) -> JSON {
    JSON(
      version: 1, roots: roots, root: roots?.count == 1 ? roots?[0] : nil, cloned: result.cloned,
      linked: result.linked, created: created, dangling: dangling, skipped: skipped)
  }

  private struct JSON: Encodable {
    var version: Int
    var roots: [JSONKey]?
    var root: JSONKey?
    var cloned: [String: Int]
    var linked: [String: Int]
    var created: [String: Int]?
    var dangling: [String: Int]?
    var skipped: [TransferReport.Skipped]?
  }
}

/// A key in JSON: a number where it is one, else text in the syntax of the command line.
struct JSONKey: Encodable {
  var key: ObjectKey

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if key.parts.count == 1, case .integer(let number) = key.parts[0] {
      try container.encode(number)
    } else {
      try container.encode(key.description)
    }
  }
}
