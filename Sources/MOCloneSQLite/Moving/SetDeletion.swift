import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// Deletes a set of objects by the delete rules, in the transaction of the caller.
struct SetDeletion {
  let layout: MoveLayout
  let runner: StatementRunner
  let renderer: DeletionRenderer

  init(_ layout: MoveLayout, _ runner: StatementRunner) {
    self.layout = layout
    self.runner = runner
    renderer = DeletionRenderer(layout)
  }

  /// Begins with nothing to delete.
  func begin() throws {
    for statement in renderer.setUp { try runner.execute(statement) }
  }

  /// Adds the objects whose keys a query selects.
  func add(_ query: String, to table: ObjectTable) throws {
    try runner.execute(renderer.add(query, to: table))
  }

  func addCascades() throws {
    for statement in renderer.closure { try runner.execute(statement) }
  }

  /// - Throws: `CloneError` (`delete-denied`, `required-left-empty`, `constraint-failed`) for the first object that
  ///   cannot go.
  func check() throws {
    for refusal in renderer.refusals {
      guard let row = try runner.row(refusal.query) else { continue }
      throw error(refusal, row)
    }
  }

  /// How many objects of each entity go.
  func counts() throws -> [String: Int] {
    var counts: [String: Int] = [:]
    for table in layout.tables {
      for row in try runner.rows(renderer.count(table)) where row[1] as Int > 0 {
        counts[layout.entity(table, discriminator: row[0])] = row[1]
      }
    }
    return counts
  }

  func perform() throws {
    for statement in renderer.releases { try runner.execute(statement) }
    try remove()
  }

  /// Empties some of the references that lead to the objects from outside.
  func release(_ references: [RowReference]) throws {
    for statement in renderer.releases(of: references) { try runner.execute(statement) }
  }

  /// Deletes the objects, to which nothing refers any more.
  ///
  /// - Throws: `CloneError` (`row-count`) where a trigger keeps one.
  func remove() throws {
    for statement in renderer.deletion { try runner.execute(statement) }
    for table in layout.tables where !table.schema.triggers.isEmpty {
      let left = try runner.number(renderer.countLeft(table))
      guard left > 0 else { continue }
      let all = try runner.number("SELECT count(*) FROM \(renderer.gone[table.index].sql)")
      throw CloneError.swallowed(all - left, of: all, "deletions", by: table.schema)
    }
    for statement in renderer.cleanUp { try runner.execute(statement) }
  }

  private func error(_ refusal: DeletionRenderer.Refusal, _ row: Row) -> CloneError {
    let object = layout.id(row, from: 0, in: refusal.object)
    let other = layout.id(row, from: 1 + refusal.object.keyColumns.count, in: refusal.other)
    switch refusal.reason {
    case .denied:
      return CloneError(
        .deleteDenied,
        "\(object) cannot be deleted: its '\(refusal.name)' still holds \(other), and the relationship's delete rule is "
          + "deny", property: refusal.name, object: object)
    case .leftAlone, .required:
      return CloneError(
        refusal.reason == .required ? .requiredLeftEmpty : .constraintFailed,
        "\(other) cannot be deleted: \(object) still refers to it by '\(refusal.name)'",
        property: refusal.name,
        object: object)
    }
  }
}

extension CloneError {
  static func swallowed(_ count: Int, of expected: Int, _ what: String, by table: TableSchema) -> CloneError {
    CloneError(
      .rowCount,
      "the table '\(table.name)' took \(count) of \(expected) \(what); a trigger of the store swallowed the others"
    )
  }
}

extension MoveLayout {
  /// An object from the discriminator and the key in a row.
  func id(_ row: Row, from first: Int, in table: ObjectTable) -> ObjectID {
    let key = KeyCoding(entity: mapping[table.root]).decode(row, from: first + 1)
    return ObjectID(entity(table, discriminator: row[first]), key: key)
  }
}

extension SQLiteGraph {
  /// Deletes objects by the delete rules of their relationships, in statements whose number depends on the model alone.
  ///
  /// - Throws: `CloneError` (`delete-denied`, `required-left-empty`, `constraint-failed`, `no-such-object`); nothing is
  ///   then deleted.
  public func delete(_ objects: [ObjectID]) throws {
    guard !objects.isEmpty else { return }
    try write { access in
      let deletion = SetDeletion(try access.moveLayout(), StatementRunner(access.db))
      try access.db.deferringForeignKeys {
        try deletion.begin()
        for object in objects { try deletion.add(object, access) }
        try deletion.addCascades()
        try deletion.check()
        try deletion.perform()
      }
    }
  }
}

extension SetDeletion {
  fileprivate func add(_ object: ObjectID, _ access: RowAccess) throws {
    guard let found = try access.find(object.entity, key: object.key) else {
      throw CloneError.noSuchObject(object.entity, object.key)
    }
    let table = layout.table(of: found.entity)
    let coding = KeyCoding(entity: layout.mapping[table.root])
    for (i, part) in found.key.parts.enumerated() { runner.bind("k\(i)", coding.encode(part, part: i)) }
    try add("VALUES (\(SQL.list(table.keys(":k"))))", to: table)
  }
}
