import MOCloneEngine
import MOCloneModel

/// How rows become objects of a store: its tables, the streams of rows, what they refer to, and by what they are found.
package final class TransferLayout: Sendable {
  package let policy: TransferPolicy
  package let identities: Identities
  package let store: StoreLayout
  package let streams: [RowStream]
  package let joinRows: [JoinRowStream]
  /// In an order in which what a group needs of other objects is settled before it.
  package let groups: [StreamGroup]
  /// The streams that can have rows; of the tables of the others nothing is read or written in the store.
  let reached: [RowStream]
  /// What a copy can reach; nil for all.
  let entityReach: EntityReach?
  /// The rules of a copy; nil where rows were staged.
  package let rules: CopyRules?
  /// Where one subtree is cut out: which objects it is.
  package let subtree: CopiedSubtree?
  /// The tables like the store's own that rows come from; nil where rows were staged.
  package let source: SourceTables?
  package let prefix: String

  package var model: ObjectModel { store.model }
  package var mapping: SchemaMapping { store.mapping }
  package var dialect: Dialect { store.dialect }
  package var reach: Reach { Reach(self) }

  /// - Parameter prefix: what tells its temporary tables from those of another run on the connection.
  init(
    _ policy: TransferPolicy, identities: Identities, store: StoreLayout, streams: [RowStream],
    joinRows: [JoinRowStream], groups: [StreamGroup], rules: CopyRules? = nil, subtree: CopiedSubtree? = nil,
    source: SourceTables? = nil, prefix: String
  ) {
    self.policy = policy
    self.identities = identities
    self.store = store
    self.streams = streams
    let entityReach = rules.flatMap { EntityReach($0, of: subtree) }
    self.entityReach = entityReach
    reached = streams.filter { entityReach?.entities.contains($0.table.root) ?? true }
    self.joinRows = joinRows
    self.groups = groups
    self.rules = rules
    self.subtree = subtree
    self.source = source
    self.prefix = prefix
  }

  func reaches(_ stream: RowStream) -> Bool {
    entityReach?.entities.contains(stream.table.root) ?? true
  }

  func reaches(_ joinRows: JoinRowStream) -> Bool { joinRows.ends.allSatisfy { reaches(streams[$0.stream]) } }

  package func groups(of stream: RowStream) -> [StreamGroup] { groups.filter { $0.stream == stream.index } }

  /// Whether objects that were there take a property of their rows: not what identifies them, unless it is asked for.
  func overwrites(_ property: String, of stream: RowStream) -> Bool {
    if let written = policy.written { return written.contains(property) }
    let paths = groups(of: stream).compactMap(\.identity).flatMap(\.paths)
    return !paths.contains { ($0.steps.first?.name ?? $0.attribute!.name) == property }
  }

  package func destination(of reference: StreamReference) -> RowStream? {
    reference.destination.map { streams[$0] }
  }

  /// Whether a row `s` holds a reference, where siblings keep other references in its columns.
  func holds(_ reference: StreamReference, of stream: RowStream) -> Condition {
    stream.source == nil ? .always : store.holds(reference.reference, "s")
  }

  /// Whether rows are staged in a table of the store itself, so that they are written already.
  package func isInPlace(_ table: TableSchema) -> Bool {
    source?.inPlace.contains(table.name.sqlName) == true
  }

  // MARK: Order

  /// Whether triggers keep values of some objects.
  var hasKeptColumns: Bool { store.tables.contains(where: \.hasKeptColumns) }

  /// The streams in the order in which their objects are inserted: those that others refer to come first.
  package var insertOrder: [RowStream] {
    let needs = streams.map { Set($0.references.filter(\.isFormed).compactMap(\.destination)) }
    let counting = streams.filter { $0.table.hasKeptColumns }.map(\.index)
    return WriteOrder(needs, counting: Set(counting)).order.map { streams[$0] }.filter(reaches)
  }

  /// The same in groups, of which one is inserted after the other: a group of several refers to each other in a circle, and
  /// is inserted by one statement where foreign keys are checked at its end. Triggers that run before a row do not see what
  /// other parts of their statement write, so where new rows fire some the streams of a circle are inserted one by one, too.
  package var insertGroups: [[RowStream]] {
    let single = insertOrder.map { [$0] }
    guard dialect.insertsTogether else { return single }
    let edges = streams.flatMap { stream in
      stream.references.filter(\.isFormed).compactMap { reference in
        reference.destination.map { (from: $0, to: stream.index) }
      }
    }
    let groups = Components(count: streams.count, edges: edges).ordered
      .map { $0.map { streams[$0] }.filter(reaches) }.filter { !$0.isEmpty }
    guard groups.contains(where: { $0.count > 1 }) else { return single }
    return groups.flatMap { group in
      let areSeen = group.contains {
        $0.table.schema.triggers.contains { $0.event == "INSERT" && $0.isEarly }
      }
      return areSeen ? group.map { [$0] } : [group]
    }
  }

  /// Whether a table only gets rows, and is not searched meanwhile: its rows refer to those of streams that are filled, so
  /// that no foreign key is checked from the other side.
  package func isFilled(_ stream: RowStream, after filled: Set<Int>) -> Bool {
    stream.table.schema.triggers.isEmpty
      && stream.references.allSatisfy { !$0.isFormed || $0.destination.map(filled.contains) != false }
  }

  /// What an object `alias` of the store holds at the end of a path.
  ///
  /// - Parameter table: how a table is named in SQL, where the object is one of another store.
  func values(
    at path: IdentityPath, of entity: String, _ alias: String, table: ((String) -> String)? = nil
  ) -> [String] {
    IdentityColumns(path, of: entity, mapping: mapping, alias: alias, dialect: dialect, table: table).values
  }

  // MARK: Temporary tables

  /// The keys that rows `o` have in the store, `n`: of all of them, or of those whose key has no offset.
  package func map(_ stream: RowStream) -> TemporaryTable {
    let new = stream.table.keys.definitions("n") + ["is_new \(dialect.types.integer)"]
    return temporary("map\(stream.index)", columns: stream.keys.unique("o", beside: new))
  }

  /// Enters keys in the map.
  func enter(_ rows: Select, of stream: RowStream) -> String {
    map(stream).insert(stream.keys.parts("o") + stream.table.keys("n") + ["is_new"], rows)
  }

  /// Whether the map has an entry `m` for a row's key, of which a condition holds.
  func hasEntry(_ stream: RowStream, _ key: [String], where condition: Condition = .always) -> Condition {
    .exists(in: map(stream).rows("m"), where: condition && .equal(stream.keys.parts("m.o"), key), dialect)
  }

  /// Whether an entry of the map is of a row that becomes a new object.
  package func isNew(_ alias: String) -> Condition { .sql("\(alias).is_new = 1") }
  /// Whether it is of the first row that is an object which was there.
  package func isFound(_ alias: String) -> Condition { .sql("\(alias).is_new = 0") }
  /// Whether it is of any row that is an object which was there.
  package func exists(_ alias: String) -> Condition { .sql("\(alias).is_new IN (0, \(joinedToFound))") }
  /// Whether it is of a row that is the same object as an earlier one.
  package func isJoined(_ alias: String) -> Condition { .sql("\(alias).is_new > 1") }
  var joinedToNew: String { "2" }
  var joinedToFound: String { "3" }

  /// The rows that are left out, and the part of their identity that is empty.
  package func skipped(_ stream: RowStream) -> TemporaryTable {
    temporary(
      "skipped\(stream.index)",
      columns: stream.keys.unique("o", beside: ["part \(dialect.types.integer)"]))
  }

  func temporary(
    _ purpose: String, columns: [String], key: [String] = [], isOrdered: Bool = false, parts: Int = 0
  ) -> TemporaryTable {
    TemporaryTable(
      prefix + purpose, columns: columns, key: key, isOrdered: isOrdered, parts: parts, dialect: dialect)
  }

  /// The tables that every run needs.
  package var temporaryTables: [TemporaryTable] {
    streams.map(map) + (policy.unidentified == .skipped ? streams.map(skipped) : []) + stagedTables
  }

  /// Whether a run asks for what the objects of an entity hold in an attribute: not where it is left out, unless it
  /// identifies objects.
  func reads(_ attribute: String, of entity: String) -> Bool {
    guard let rules, let attribute = model.attribute(attribute, of: entity),
      rules.excludes(attribute, of: entity)
    else { return true }
    return identities.areBy(attribute.name)
  }

  /// The stream of an entity's objects, where there is one for each table.
  package func stream(of entity: String) -> RowStream { streams[store.table(of: entity).index] }
}

/// Rows of one stream that are identified in the same way.
package struct StreamGroup: Sendable {
  package let stream: Int
  package var entities: [String]
  package let identity: Identity?
}
