/// Where sub-entities lie, and how their rows are told apart.
extension ModelChecks {
  func subEntitiesLieInTheirParentsTable() -> [Diagnostic] {
    entities.flatMap { entity -> [Diagnostic] in
      let root = model.rootEntity(of: entity.name)
      guard root != entity.name, isComplete(entity.name) else { return [] }
      let home = mapping[root]
      return [
        entity.table.flatMap { table in
          model.store.table(table).sqlName == home.table.sqlName
            ? nil : .subEntityTable(entity.name, table: table, root: root, rootTable: home.table)
        },
        keyDiffers(entity, home: home) ? .subEntityKey(entity.name, root: root) : nil,
        discriminatorDiffers(entity, home: home) ? .discriminatorColumn(entity.name, root: root) : nil,
      ].compactMap { $0 }
    }
  }

  private func keyDiffers(_ entity: EntityDescription, home: EntityMapping) -> Bool {
    guard !entity.primaryKey.isEmpty else { return false }
    return entity.primaryKey.map { $0.column.sqlName } != home.keyColumns.map(\.sqlName)
  }

  private func discriminatorDiffers(_ entity: EntityDescription, home: EntityMapping) -> Bool {
    guard let column = entity.discriminator?.column else { return false }
    return column.sqlName != home.discriminator?.column.sqlName
  }

  /// Abstract entities have no rows, so their values mark nothing.
  func discriminatorsDiffer() -> [Diagnostic] {
    var owners: [[String]: String] = [:]
    return entities.filter { !$0.isAbstract }.compactMap { entity in
      guard let value = mapping[entity.name].discriminator?.value else { return nil }
      let place = [model.rootEntity(of: entity.name), value]
      guard let first = owners[place] else {
        owners[place] = entity.name
        return nil
      }
      return .duplicateDiscriminator(value, first: first, second: entity.name)
    }
  }
}

extension Diagnostic {
  static func subEntityTable(
    _ name: String, table: String, root: String, rootTable: String
  ) -> Diagnostic {
    Diagnostic(
      .subEntityTable, at: .entity(name) / "table",
      "'\(name)' names the table '\(table)', but its rows are in the table of '\(root)', '\(rootTable)'",
      notes: [Note("the entity it inherits from", at: .entity(root))],
      help: "remove 'table' here, or make '\(name)' an entity without parent")
  }

  static func subEntityKey(_ name: String, root: String) -> Diagnostic {
    Diagnostic(
      .subEntityTable, at: .entity(name) / "primaryKey",
      "'\(name)' names another primary key than '\(root)', whose table it shares",
      notes: [Note("the entity it inherits from", at: .entity(root))], help: "remove 'primaryKey' here")
  }

  static func discriminatorColumn(_ name: String, root: String) -> Diagnostic {
    Diagnostic(
      .discriminatorColumn, at: .entity(name) / "discriminator",
      "'\(name)' names another discriminator column than '\(root)', whose table it shares",
      notes: [Note("the entity it inherits from", at: .entity(root))],
      help: "name the column at '\(root)' only, and the value here")
  }

  static func duplicateDiscriminator(_ value: String, first: String, second: String) -> Diagnostic {
    Diagnostic(
      .duplicateDiscriminator, at: .entity(second) / "discriminator",
      "rows of '\(second)' and of '\(first)' are both marked '\(value)', so they cannot be told apart",
      notes: [Note("the other entity", at: .entity(first) / "discriminator")],
      help: "give one of them another 'discriminator: {value: ...}'")
  }
}
