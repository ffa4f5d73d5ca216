import MOCloneEngine
import MOCloneModel

/// What an operation counts, as a report says it.
package struct ReferenceCounts {
  package typealias Section = WritableKeyPath<TransferReport, [String: Int]?>

  /// The sections that are counted; others mean nothing.
  private var sections: [(section: Section, counts: [String: Int])] = []

  /// The objects whose values a merge gives up; nil where that is not looked at.
  var givenUp: Set<TransferReport.Skipped>? = nil

  mutating func begin(_ section: Section) {
    if !sections.contains(where: { $0.section == section }) { sections.append((section, [:])) }
  }

  mutating func add(_ count: Int = 1, _ name: String, to section: Section) {
    begin(section)
    let i = sections.firstIndex { $0.section == section }!
    sections[i].counts[name, default: 0] += count
  }

  /// What a report says otherwise.
  package func differences(from report: TransferReport) -> [String] {
    let listed = Set((report.skipped ?? []).filter { $0.givenUp != nil })
    let others = givenUp.map { givenUp in
      listed.subtracting(givenUp).map { "listed: \($0)" }
        + givenUp.subtracting(listed).map { "unlisted: \($0)" }
    }
    return (others ?? [])
      + sections.flatMap { section, counts in
        let found = report[keyPath: section] ?? [:]
        return Set(counts.keys).union(found.keys).sorted().compactMap { name in
          let (found, expected) = (found[name] ?? 0, counts[name] ?? 0)
          return found == expected
            ? nil : "the report's \(title(of: section)) of \(name): \(found), not \(expected)"
        }
      }
  }

  private func title(of section: Section) -> String {
    switch section {
    case \.created: "created"
    case \.found: "found"
    case \.updated: "updated"
    case \.unchanged: "unchanged"
    case \.deleted: "deleted"
    case \.merged: "merged"
    case \.linked: "linked"
    case \.nullified: "nullified"
    default: "dangling"
    }
  }
}

extension StorePicture {
  /// Counts the objects that were made, and those that went, by their entities.
  mutating func countRows(made: Bool = true, gone section: ReferenceCounts.Section? = nil) {
    if made { counts.begin(\.created) }
    if let section { counts.begin(section) }
    let tables = Set(mapping.entities.values.map(\.table))
    for (table, content) in self.tables where tables.contains(table) {
      for (index, row) in content.rows.enumerated() where row.isNew || row.isGone {
        let entity = entity(of: Place(table: table, index: index))
        if made, row.isNew { counts.add(1, entity, to: \.created) }
        if let section, row.isGone { counts.add(1, entity, to: section) }
      }
    }
  }
}

extension StorePicture {
  /// Adds a row to a join table, with the other columns of one of the source; nil where the two are joined already.
  mutating func addPair(_ join: JoinTableMapping, _ own: Place, _ other: Place, like row: Row) -> Place? {
    guard pairs(join, own, other).isEmpty else { return nil }
    var new = Row(row.values)
    for (column, key) in zip(join.columns + join.destinationColumns, ends(join, own, other)) {
      new.values[column] = key
    }
    return append(new, to: join.table)
  }

  /// The rows that tie two objects.
  func pairs(_ join: JoinTableMapping, _ own: Place, _ other: Place) -> [Place] {
    find(join.columns + join.destinationColumns, ends(join, own, other), in: join.table)
  }

  private func ends(_ join: JoinTableMapping, _ own: Place, _ other: Place) -> [RawValue] {
    join.references.map { self[own, $0] } + join.destinationReferences.map { self[other, $0] }
  }

  /// A row of a table with what its columns hold where nothing is written.
  func emptyRow(in table: String) -> Row {
    Row(
      Dictionary(
        uniqueKeysWithValues: tables[table]!.columns.filter { !$0.isGenerated }.map { ($0.name, $0.standard) }
      ))
  }
}
