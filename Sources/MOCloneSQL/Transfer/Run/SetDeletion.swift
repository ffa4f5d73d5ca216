import MOCloneEngine
import MOCloneModel

/// Deletes a set of objects by the delete rules, in the transaction of the caller.
struct SetDeletion {
  let layout: StoreLayout
  let runner: any StatementRunning
  let renderer: DeletionRenderer

  /// - Parameter dates: sets the date of change of what loses a reference; nil where no operation does.
  init(_ layout: StoreLayout, runner: any StatementRunning, dates: DateOfChange? = nil) {
    self.layout = layout
    self.runner = runner
    renderer = DeletionRenderer(layout, dates: dates ?? DateOfChange(layout, rule: nil))
  }

  /// Begins with nothing to delete.
  func begin() throws { try runner.execute(renderer.setUp) }

  /// Adds the objects whose keys a query selects.
  func add(_ query: Select, to table: TablePlan) throws {
    try runner.execute(renderer.add(query, to: table))
  }

  func addCascades() throws { try runner.execute(renderer.closure) }

  /// - Throws: `CloneError` (`delete-denied`, `required-left-empty`, `constraint-failed`) for the first object that
  ///   cannot go.
  func check() throws {
    for refusal in renderer.refusals {
      guard let row = try runner.answer(refusal.query) else { continue }
      throw error(refusal, row: row)
    }
  }

  /// How many objects of each entity go.
  func counts() throws -> [String: Int] {
    try renderer.gone.reduce(into: [:]) { counts, set in
      let found = try runner.counts(set.countByEntity, of: set.table)
      counts.merge(found, uniquingKeysWith: +)
    }
  }

  /// How many references of objects that stay become null, by their relationships.
  private func nullified() throws -> [String: Int] {
    try renderer.nullified.reduce(into: [:]) { counts, nullified in
      let count = try runner.number(nullified.rows)
      if count > 0 { counts[nullified.name, default: 0] += count }
    }
  }

  /// Deletes the objects, and counts in a report which references become null and what the store removes with them.
  ///
  /// - Parameter overwritten: references that are about to be written again, by `Entity.name`.
  func perform(_ report: inout TransferReport, overwritten: Set<String> = []) throws {
    let deleted = try renderer.gone.map { try runner.number(Select(["count(*)"], from: $0.rows("g"))) }
    for (name, count) in try nullified() where !overwritten.contains(name) {
      report.add(count, name, to: \.nullified)
    }
    let cascades = try StoreCascades(of: self, deleted: deleted)
    try perform()
    for (table, count) in try cascades.counts() { report.add(count, table, to: \.cascaded) }
  }

  func perform() throws {
    for release in renderer.releases { try perform(release) }
    try remove()
  }

  /// - Throws: `CloneError` (`row-count`) where a trigger keeps a reference.
  private func perform(_ release: DeletionRenderer.Release) throws {
    if release.table.triggers.isEmpty {
      try runner.execute(release.statements)
      return
    }
    let all = try runner.number(release.left)
    try runner.execute(release.statements)
    let left = try runner.number(release.left)
    guard left == 0 else {
      throw CloneError.ignored(all - left, of: all, what: "changes", by: release.table.name)
    }
  }

  /// Empties some of the references that lead to the objects from outside.
  func release(_ references: [RowReference]) throws {
    for release in renderer.releases(of: references) { try perform(release) }
  }

  /// Deletes the objects, to which nothing refers any more.
  ///
  /// - Throws: `CloneError` (`row-count`) where a trigger keeps one.
  func remove() throws {
    try runner.execute(renderer.deletion)
    for set in renderer.gone {
      let all = Select(["count(*)"], from: set.rows("g"))
      try runner.expectNone(set.countExisting, of: all, writing: set.table.schema, what: "deletions")
    }
    try runner.execute(renderer.cleanUp)
  }

  private func error(_ refusal: DeletionRefusal, row: [StoredValue]) -> CloneError {
    let object = layout.id(row, from: 0, in: refusal.object)
    let other = layout.id(row, from: 1 + refusal.object.keyColumns.count, in: refusal.other)
    switch refusal.reason {
    case .denied:
      return CloneError(
        .deleteDenied,
        "\(object) cannot be deleted: its '\(refusal.name)' still holds \(other), and the relationship's delete rule is "
          + "deny", property: refusal.name, object: object)
    case .leftAlone, .required:
      return .referred(to: other, by: object, refusal.name, isLeftAlone: refusal.reason == .leftAlone)
    }
  }
}

extension RowAccess where Connection: TransferConnection {
  /// Deletes objects by the delete rules of their relationships, in statements whose number depends on the model alone.
  ///
  /// - Throws: `CloneError` (`delete-denied`, `required-left-empty`, `constraint-failed`, `no-such-object`).
  package func delete(_ objects: [ObjectID]) throws {
    let deletion = SetDeletion(try storeLayout(), runner: db.statements(nil))
    try db.deferringForeignKeys {
      try deletion.begin()
      for object in objects { try deletion.add(object, self) }
      try deletion.addCascades()
      try deletion.check()
      try deletion.perform()
    }
  }
}

extension SetDeletion {
  fileprivate func add<Connection>(_ object: ObjectID, _ access: RowAccess<Connection>) throws {
    let found = try access.existing([object])[0]
    let table = layout.table(of: found.entity)
    runner.bind("k", parts: KeyCoding(entity: table.map).encode(found.key))
    try add(Select(table.keys("k").map(layout.dialect.parameter), from: nil), to: table)
  }
}
