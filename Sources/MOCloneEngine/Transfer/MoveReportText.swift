import Foundation
import MOCloneModel

extension MoveReport {
  /// The report as one line of JSON.
  public func json() throws -> String {
    try jsonText() + "\n"
  }

  /// The report for people: a line for each count, then what was left out.
  ///
  /// - Parameter listed: how many of those left out are named.
  public func text(listed: Int = 20) -> String {
    if let reason { return reason + "\n" }
    let counts = sections.flatMap { title, counts in
      (counts ?? [:]).sorted { $0.key < $1.key }.map { "\(title)  \($0.value)  \($0.key)\n" }
    }
    let merged = (groups ?? []).prefix(listed).map(line)
    let left = (skipped ?? []).prefix(listed).map { "left out  \($0.place): \($0.reason)\n" }
    let more = (skipped?.count ?? 0) - left.count + (unlisted ?? 0)
    let rest = more > 0 ? "left out  \(more) more\n" : ""
    let text = (counts + merged + left).joined() + rest + (rejected.map(line) ?? "")
    return text.isEmpty ? (dryRun ? "nothing would change\n" : "nothing changed\n") : text
  }

  /// `rejected  3 rows, written to items.csv.rejects`
  private func line(_ rejected: Rejected) -> String {
    let rows = rejected.rows == 1 ? "1 row" : "\(rejected.rows) rows"
    return dryRun
      ? "would reject  \(rows), to be written to \(rejected.file)\n"
      : "rejected  \(rows), written to \(rejected.file)\n"
  }

  private func line(_ group: Group) -> String {
    let identity = group.identity.map(\.shortened).joined(separator: ", ")
    guard let deleted = group.deleted else {
      return
        "\(dryRun ? "would merge" : "merged")  \(group.entity) \(group.merged.joined(separator: " and ")) into "
        + "\(group.survivor): \(identity)\n"
    }
    return
      "\(dryRun ? "would delete" : "deleted")  \(group.entity) \(deleted.joined(separator: " and ")) beside "
      + "\(group.survivor): \(identity)\n"
  }

  private var sections: [(String, [String: Int]?)] {
    [
      ("created", "would create", created), ("found", "would find", found),
      ("updated", "would update", updated), ("unchanged", "would leave unchanged", unchanged),
      ("deleted", "would delete", deleted), ("merged", "would merge", merged),
      ("linked", "would link", linked),
      ("reference now null", "reference would be null", nullified),
      ("removed by the store", "would be removed by the store", cascaded),
      ("dangling, now null", "dangling, would be null", dangling),
    ].map { done, planned, counts in (dryRun ? planned : done, counts) }
  }
}
