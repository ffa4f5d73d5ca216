import Foundation
import MOCloneKit
import MOCloneTesting
import Testing

struct ConformanceTests {
  @Test(arguments: ConformanceSuite.cases)
  func sqliteGraphConforms(_ conformance: ConformanceCase) throws {
    let failures = try conformance.run { try SQLiteGraph.temporary($0) }
    #expect(failures == [])
  }
}

struct ConformanceArticleTests {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: RealData.package.appending(path: path), encoding: .utf8)
  }

  @Test func theArticleListsEveryCaseBySubject() throws {
    let article = try text("Sources/MOCloneKit/MOCloneKit.docc/Conformance.md")
    #expect(article.contains("\n\n\(table)\n\n"), "The table should now be:\n\(table)")
  }

  @Test func theArticleQuotesTheTestOfMemory() throws {
    let article = try text("Sources/MOCloneKit/MOCloneKit.docc/Conformance.md")
    let block = try #require(article.firstMatch(of: /```swift\n((?s).*?)```/))
    #expect(try text("Tests/MOCloneEngineTests/ConformanceTests.swift").contains(String(block.output.1)))
  }

  private var table: String {
    let rows = ConformanceSuite.groups(chainLength: 1).map { group in
      let memory = all(but: group.cases.compactMap(\.memoryException))
      let pairs = all(but: group.transfers.compactMap(\.memoryException), direction: " with memory")
      return "| \(group.subject) | \(group.cases.count) | \(memory) | all | all "
        + "| \(group.transfers.isEmpty ? "" : pairs) |"
    }
    let head = [
      "| Subject | Cases | Memory | SQLite | PostgreSQL | From one store into another |",
      "|---|---|---|---|---|---|",
    ]
    let sum = "| **All** | \(ConformanceSuite.cases.count) | | | | |"
    return (head + rows + [sum]).joined(separator: "\n")
  }

  private func all(but exceptions: [String], direction: String = "") -> String {
    guard let reason = exceptions.first else { return "all" }
    return "all but \(exceptions.count)\(direction): \(reason)"
  }
}
