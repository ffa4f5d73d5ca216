import MOCloneModel

/// Whether staged rows keep every foreign key of the store by themselves, so that it need not be asked for each reference
/// whether its object is there.
package struct KeptForeignKeys {
  private let layout: TransferLayout

  package init(_ layout: TransferLayout) {
    self.layout = layout
  }

  /// What is written into a table of the store.
  private struct Written {
    var table: TableSchema
    /// The columns of everything but references.
    var values: [String]
    /// What the maps of objects give, so that it leads somewhere.
    var references: [(columns: [String], table: String, referenced: [String])]
  }

  /// - Parameter declared: every foreign key of the store, those of tables that the model does not name included.
  package func hold(_ declared: [ForeignKeySchema]) -> Bool {
    let written = layout.streams.map(rows) + layout.joinRows.map(links)
    let areKept = written.allSatisfy { written in
      written.table.triggers.isEmpty && written.table.foreignKeys.allSatisfy { isKept($0, in: written) }
    }
    return areKept && !declared.contains(where: leadsToOverwritten)
  }

  private func isKept(_ key: ForeignKeySchema, in written: Written) -> Bool {
    let columns = Set(key.columns.map(\.sqlName))
    guard columns.isDisjoint(with: written.values.map(\.sqlName)) else { return false }
    let references = written.references.filter { !columns.isDisjoint(with: $0.columns.map(\.sqlName)) }
    // Columns that nothing is written into are empty in new rows.
    guard !references.isEmpty else {
      return written.table.columns(named: key.columns).allSatisfy { !$0.hasDefault && !$0.isGenerated }
    }
    // The parts of a longer one can come from several objects.
    return key.columns.count == 1
      && references.allSatisfy { reference in
        reference.columns.count == 1 && reference.table.sqlName == key.table.sqlName
          && reference.referenced.map(\.sqlName) == key.referenced(in: layout.store.schema)?.map(\.sqlName)
      }
  }

  /// Whether rows of some table refer to what can change in objects that were there.
  private func leadsToOverwritten(_ key: ForeignKeySchema) -> Bool {
    layout.streams.contains { stream in
      guard stream.table.schema.name.sqlName == key.table.sqlName,
        let referenced = key.referenced(in: layout.store.schema)
      else { return false }
      let columns = stream.table.schema.columns(named: referenced).flatMap { [$0.name] + $0.inputs }
      return !Set(columns.map(\.sqlName)).isDisjoint(with: overwritten(stream).map(\.sqlName))
    }
  }

  // MARK: Columns

  private func rows(_ stream: RowStream) -> Written {
    let table = stream.table
    var values = attributes(stream) { _ in true }
    values += table.map.key.filter { !$0.source.isReference }.map(\.column)
    if let mark = table.discriminator { values.append(mark) }
    let references = stream.references.map { reference in
      (
        columns: reference.key.columns, table: layout.mapping[reference.key.destination].table,
        referenced: reference.key.references
      )
    }
    return Written(table: table.schema, values: values, references: references)
  }

  private func links(_ joinRows: JoinRowStream) -> Written {
    let references = joinRows.ends.map { end in
      (
        columns: end.mapping.columns, table: layout.streams[end.stream].table.schema.name,
        referenced: end.mapping.references
      )
    }
    return Written(table: joinRows.join.schema, values: [], references: references)
  }

  private func overwritten(_ stream: RowStream) -> [String] {
    guard layout.policy.existing != .keep || layout.policy.references != .keep else { return [] }
    let references = stream.references.filter {
      layout.overwrites($0.reference.relationship.name, of: stream)
    }
    let given = attributes(stream) { layout.overwrites($0, of: stream) }
      .filter { stream.plain($0, "s") != nil }
    return (given + references.flatMap(\.key.columns)).filter { stream.table.map.keyPart(of: $0) == nil }
  }

  /// The columns of attributes of some names.
  private func attributes(_ stream: RowStream, where isMeant: (String) -> Bool) -> [String] {
    stream.entities.flatMap { entity in
      layout.mapping[entity].attributes.compactMap { isMeant($0.key) ? $0.value.column : nil }
    }
  }
}
