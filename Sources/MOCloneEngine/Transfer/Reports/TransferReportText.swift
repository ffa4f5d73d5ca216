import Foundation
import MOCloneModel

extension TransferReport {
  /// The report as one line of JSON.
  public func json() throws -> String {
    try jsonText() + "\n"
  }

  /// The report for people: a line for each count, then what was given up, then what was left out.
  ///
  /// - Parameter listed: how many of each of these are named.
  public func text(listed: Int = 20) -> String {
    if let reason { return reason + "\n" }
    let counts = sections.flatMap { title, counts in
      (counts ?? [:]).sorted { $0.key < $1.key }.map { "\(title)  \($0.value)  \($0.key)\n" }
    }
    let merged = lines(groups ?? [], listed)
    let given = (skipped ?? []).filter { $0.givenUp != nil }
    let left = (skipped ?? []).filter { $0.givenUp == nil }
    // A merge counts what it gives up once it has listed so many.
    let isGivenUp = given.count >= Self.listedDifferences
    let entries =
      lines(given, dryRun ? "would give up" : "given up", listed, unlisted: isGivenUp ? unlisted : nil)
      + lines(left, "left out", listed, unlisted: isGivenUp ? nil : unlisted)
    let text = (counts + merged + entries).joined() + (rejected.map(line) ?? "")
    return text.isEmpty ? (dryRun ? "nothing would change\n" : "nothing changed\n") : text
  }

  /// The first entries, and how many more there are.
  private func lines(_ entries: [Skipped], _ title: String, _ listed: Int, unlisted: Int?) -> [String] {
    let more = max(0, entries.count - listed) + (unlisted ?? 0)
    return entries.prefix(listed).map { "\(title)  \($0.place): \(values($0))\($0.reason)\n" }
      + (more > 0 ? ["\(title)  \(more) more\n"] : [])
  }

  /// `note 'precious', size '7'; `
  private func values(_ entry: Skipped) -> String {
    let values = (entry.givenUp ?? [:]).sorted { $0.key < $1.key }
    return values.isEmpty
      ? "" : values.map { "\($0.key) '\($0.value.shortened)'" }.joined(separator: ", ") + "; "
  }

  /// `rejected  3 rows, written to items.csv.rejects`
  private func line(_ rejected: Rejected) -> String {
    let rows = rejected.rows == 1 ? "1 row" : "\(rejected.rows) rows"
    return dryRun
      ? "would reject  \(rows), to be written to \(rejected.file)\n"
      : "rejected  \(rows), written to \(rejected.file)\n"
  }

  /// The first groups, and how many more objects go.
  private func lines(_ groups: [Group], _ listed: Int) -> [String] {
    let more = groups.dropFirst(listed).reduce(unlistedDuplicates ?? 0) {
      $0 + $1.merged.count + ($1.deleted?.count ?? 0)
    }
    guard more > 0, let first = groups.first else { return groups.prefix(listed).map(line) }
    return groups.prefix(listed).map(line) + ["\(title(first))  \(more) more\n"]
  }

  private func title(_ group: Group) -> String {
    let verb = group.deleted == nil ? "merge" : "delete"
    return dryRun ? "would \(verb)" : "\(verb)d"
  }

  private func line(_ group: Group) -> String {
    let identity = group.identity.map(\.shortened).joined(separator: ", ")
    let keys = (group.deleted ?? group.merged).joined(separator: " and ")
    let place = group.deleted == nil ? "into" : "beside"
    return "\(title(group))  \(group.entity) \(keys) \(place) \(group.survivor): \(identity)\n"
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
