import Foundation
import GRDB
import MOCloneKit
import Testing

/// Where the databases that others made lie beside the package.
enum RealData {
  static let package = URL(filePath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func path(_ name: String) -> String {
    package.deletingLastPathComponent().appending(path: "shared/data/sqlite/\(name).sqlite").path
  }

  /// The text of a sample model.
  static func sample(_ name: String) throws -> String {
    try String(contentsOf: package.appending(path: "Models/\(name).yml"), encoding: .utf8)
  }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only where a database that others made lies beside the package.
  static func ifPresent(_ name: String) -> Self {
    .enabled("'\(name)' does not lie beside the package") {
      FileManager.default.fileExists(atPath: RealData.path(name))
    }
  }
}

extension StoreFixture {
  /// A copy in memory of a database that others made.
  init(copyOf name: String, _ yaml: String) throws {
    var configuration = Configuration()
    configuration.readonly = true
    let queue = try DatabaseQueue()
    try DatabaseQueue(path: RealData.path(name), configuration: configuration).backup(to: queue)
    try self.init(yaml, "", in: queue)
  }

  /// A sample model from its `store:` on.
  static func sample(_ name: String) throws -> String {
    let text = try RealData.sample(name)
    return text[(text.range(of: "\nstore:")?.lowerBound ?? text.startIndex)...].description
  }

  /// Clones; every row that existed must still be there, and the database be sound.
  func cloneKeepingAll(
    _ entity: String, _ key: ObjectKey, _ request: CloneRequest = CloneRequest()
  ) throws -> CloneResult {
    let before = try counted(contents(withSequences: false))
    let result = try clone(entity, key, request)
    let after = try counted(contents(withSequences: false))
    #expect(before.allSatisfy { after[$0.key, default: 0] >= $0.value })
    #expect(try rows("PRAGMA integrity_check") == ["ok"])
    return result
  }

  private func counted(_ rows: [String]) -> [String: Int] {
    Dictionary(rows.map { ($0, 1) }, uniquingKeysWith: +)
  }
}
