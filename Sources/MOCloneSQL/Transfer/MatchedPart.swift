import MOCloneEngine
import MOCloneModel

/// One column's worth of identity, in the form that equal values share.
package struct MatchedPart: Sendable {
  /// The part of the identity that it belongs to.
  package let path: IdentityPath
  /// SQL for the row's value.
  package let row: String
  /// SQL for the value of the object `t` of the store.
  package let stored: String
  /// The column of the object's own row; nil where the value lies elsewhere.
  package let column: ColumnSchema?
  /// The column of the row itself, as it is written; nil where the value lies elsewhere.
  package let plain: String?
  /// How the value is compared.
  package let schema: ColumnSchema?
  /// Nil for a reference.
  package let attribute: AttributeColumn?
  /// Whether the column can hold the value in another form.
  let hasNotations: Bool

  package var isText: Bool { attribute?.isText ?? false }

  /// What a row holds, as it is written where the value is its own.
  func written(_ dialect: Dialect) -> String { plain ?? dialect.shown(row, attribute) }

  /// The same as it is told to people.
  func shown(_ value: StoredValue) -> IdentityPart { IdentityPart(value, in: attribute) }
}

extension IdentityPart {
  /// What a column holds, as it is told to people: in the words of its attribute, where it is a value of that type.
  init(_ value: StoredValue, in column: AttributeColumn?) {
    let read = column.flatMap { column in ValueCoding(column).decode(value).map(column.shown) }
    self = .value(read ?? AttributeValue(raw: value))
  }
}

extension TransferKeys {
  /// What identifies the rows of a group, and the objects of the store.
  package func parts(of group: StreamGroup) -> [MatchedPart] {
    guard let identity = group.identity else { return [] }
    let stream = layout.streams[group.stream]
    return identity.paths.flatMap { parts(of: $0, identity, stream) }
  }

  private func parts(of path: IdentityPath, _ identity: Identity, _ stream: RowStream) -> [MatchedPart] {
    let dialect = layout.dialect
    let stored = layout.values(at: path, of: identity.scope, "t")
    guard let attribute = path.attribute else {
      let rows = objects(path, identity: identity, stream: stream)
      let reference = path.steps.count == 1 ? own(path.steps[0], stream: stream) : nil
      let destination = layout.store.table(of: path.steps.last!.destination)
      return rows.indices.map { i in
        let referenced = reference?.key.references[i] ?? destination.keyColumns[i].name
        return MatchedPart(
          path: path, row: rows[i], stored: stored[i],
          column: reference.map { stream.table.schema.column($0.key.columns[i]) } ?? nil,
          plain: reference.map { dialect.column("s", $0.columns.count > i ? $0.columns[i] : $0.columns[0]) },
          schema: destination.schema.columnOrRowid(referenced), attribute: nil,
          hasNotations: false)
      }
    }
    let entity = path.steps.last?.destination ?? identity.scope
    let column = layout.mapping[entity].attributes[attribute.name]!
    let isOwn = path.steps.isEmpty
    let plain = isOwn ? stream.plain(column.column, "s") ?? "NULL" : value(path, identity, stream)
    let schema = layout.store.table(of: entity).schema.columnOrRowid(column.column)
    return [
      MatchedPart(
        path: path, row: dialect.canonical(plain, stream.source == nil ? column : column.inSource),
        stored: dialect.canonical(stored[0], column),
        column: isOwn ? schema : nil, plain: isOwn ? plain : nil, schema: schema.opened(for: column),
        attribute: column,
        hasNotations: dialect.hasNotations(column))
    ]
  }

  /// The reference of a stream's rows that is a relationship of theirs.
  private func own(_ step: RelationshipDescription, stream: RowStream) -> StreamReference? {
    stream.references.first { $0.reference.forward?.qualifiedName == step.qualifiedName }
  }

  /// The new key of the object at the end of a path.
  private func objects(_ path: IdentityPath, identity: Identity, stream: RowStream) -> [String] {
    if path.steps.count == 1, let reference = own(path.steps[0], stream: stream) {
      return self.reference(reference, "s")
    }
    guard stream.source != nil else { return [value(path, identity, stream)] }
    return moved(
      layout.streams[layout.store.table(of: path.steps.last!.destination).index],
      old: sourceValues(path, identity))
  }

  /// The values at the end of a path in the store that rows come from.
  private func sourceValues(_ path: IdentityPath, _ identity: Identity) -> [String] {
    layout.values(at: path, of: identity.scope, "s", table: layout.source?.sql)
  }

  /// The value at the end of a path that leads to other rows.
  private func value(_ path: IdentityPath, _ identity: Identity, _ stream: RowStream) -> String {
    guard stream.source == nil else { return sourceValues(path, identity)[0] }
    guard let reference = own(path.steps[0], stream: stream) else { return "NULL" }
    return value(
      path.steps.dropFirst(), path.attribute, of: layout.destination(of: reference)!,
      "s.\(reference.columns[0])", depth: 0)
  }

  /// The value at the end of a path that begins at a staged row: what it gives itself, or what the object that it means
  /// has in the store.
  private func value(
    _ steps: ArraySlice<RelationshipDescription>, _ attribute: AttributeDescription?, of stream: RowStream,
    _ row: String, depth: Int
  ) -> String {
    let dialect = layout.dialect
    let (own, entry, there) = ("p\(depth)", "m\(depth)", "t\(depth)")
    let given: String
    if let step = steps.first {
      given =
        self.own(step, stream: stream).map { reference in
          let next = layout.destination(of: reference)!
          let column = "\(own).\(reference.columns[0])"
          return steps.count == 1 && attribute == nil
            ? moved(next, old: [column])[0]
            : value(steps.dropFirst(), attribute, of: next, column, depth: depth + 1)
        } ?? "NULL"
    } else {
      given =
        attribute.flatMap {
          layout.mapping[stream.entities[0]].attributes[$0.name].flatMap { stream.plain($0.column, own) }
        } ?? "NULL"
    }
    let made = Select([given], from: stream.rows(own))
    guard canBeFound(stream) else { return "(\(made.where(.equal(stream.key(own), [row])).text(dialect)))" }
    let path = IdentityPath(steps: Array(steps), attribute: attribute)
    let stored = layout.values(at: path, of: stream.entities[0], there)
    let table = stream.table
    let found = Select([stored[0]], from: table.rows(there))
      .where(.equal(table.key(there), table.keys("\(entry).n")))
    let merged = layout.exists(entry).choose(
      "(\(found.text(dialect)))",
      else: "(\(made.where(.equal(stream.key(own), ["\(entry).o0"])).text(dialect)))")
    let entries = Select([merged], from: layout.map(stream).rows(entry))
    return "(\(entries.where(.equal(["\(entry).o0"], [row])).text(dialect)))"
  }
}
