import MOCloneEngine
import MOCloneModel

/// Stages the rows of a store table by table, each in one stream: what `GraphStaging` stages of the same objects, in
/// statements whose number depends on the model alone.
///
/// A row that needs a second look, as one whose value is none of its type, is staged or refused as an object, behind the
/// others of its table.
final class StoreStaging: RowStaging {
  private let rows: SourceRows
  let selection: SourceSelection?
  let objects: ObjectStaging
  private let columns: SourceColumns
  /// Those of the streams, in their order.
  private(set) var tables: [SourceTable] = []
  private var joins: [SourceJoin] = []
  private(set) var dangling: [String: Int] = [:]
  /// Whether the selection knows already what is meant.
  var isFound = false
  var trustsReferences: Bool { rows.store.dialect.hasTypes }
  var entersLinked: Bool { layout.subtree != nil }

  /// - Returns: nil where some rows have to be read one by one.
  init?(
    _ rows: SourceRows, selection: SourceSelection?, in layout: TransferLayout, db: any TransferConnection,
    options: TransferOptions
  ) {
    (self.rows, self.selection) = (rows, selection)
    objects = ObjectStaging(rows.reader, in: layout, db: db, options: options)
    columns = SourceColumns(source: rows.store, target: layout.mapping)
    for table in layout.store.tables {
      guard let table = self.table(table.root) else { return nil }
      tables.append(table)
    }
    for join in rows.store.joins where join.ends.allSatisfy({ selection?.reaches($0.entity) ?? true }) {
      guard let join = SourceJoin(columns, in: layout, selection: selection, join: join) else { return nil }
      joins.append(join)
    }
  }

  /// The same for another layout of the store.
  func rebuilt(_ layout: TransferLayout) -> StoreStaging? {
    StoreStaging(rows, selection: selection, in: layout, db: db, options: options)
  }

  private func table(_ root: String) -> SourceTable? {
    var builder = SourceTableBuilder(columns, in: layout, selection: selection, root: root)
    return builder.build()
  }

  func stage(_ loading: any BulkLoading) throws {
    if !isFound { try selection?.find() }
    let hasOwnTables = !layout.source!.inPlace.isEmpty
    do {
      try stage(hasOwnTables ? layout.insertOrder : layout.streams, loading: loading)
    } catch is CloneError where hasOwnTables { throw RowsNotInPlace() }
    try objects.options.report(objects.progress)
  }

  private func stage(_ streams: [RowStream], loading: any BulkLoading) throws {
    let subtree = SubtreeReach(layout)
    let linked = try subtree.map { try db.rowWriter(into: $0.linked.sql, layout.reach.columns) }
    var filled: Set<Int> = []
    for stream in streams {
      let table = tables[stream.index]
      if layout.isInPlace(stream.table.schema), layout.isFilled(stream, after: filled) {
        try loading.prepare(stream.table.schema) { try selection?.count(table.table) ?? 0 }
        filled.insert(stream.index)
      }
      try stage(table, linked: linked)
    }
    if let subtree, let linked {
      try linked.finish()
      try db.respell(subtree.linked, layout.reach)
    }
    for join in joins { try stage(join) }
  }

  func stageIdentityEnds() throws {
    guard let selection else { return }
    try selection.findIdentityEnds()
    for table in tables { try stage(table, linked: nil) }
  }

  /// What was staged and is not linked to is a member.
  func enterSubtree(_ subtree: SubtreeReach, statements: any StatementRunning) throws {
    try statements.execute(subtree.enterMembers)
    for (named, table) in subtree.named { try objects.db.enter(Set(named.map(staged)), in: table, layout) }
  }

  // MARK: Rows

  private func stage(_ table: SourceTable, linked: (any RowWriting)?) throws {
    if let selection, !selection.reaches(table.table.root) { return }
    let writer = try objects.writer(of: layout.store.table(of: table.table.root))
    var conversion = RowConversion(table, width: writer.width)
    var others: [(object: ObjectID, values: [Int: StoredValue], isLinked: Bool)] = []
    let (stream, reach) = (layout.stream(of: table.table.root), layout.reach)
    func enter(_ key: @autoclosure () throws -> [StoredValue]) throws {
      try linked?.write(reach.entry(of: stream, key()))
    }
    var number = 0
    var query = table.query
    let asks = try linked != nil && selection?.hasLinked(table.table) == true
    if asks { query = query.with(query.columns + [table.isLinked!.choose("1", else: "0")]) }
    try rows.db.stream(query.text(rows.store.dialect)) { stored in
      let isLinked = asks && stored.last == .integer(1)
      func object() throws -> ObjectID {
        try rows.object(Array(stored[0...table.table.keyColumns.count]), table.table.root)
      }
      guard let shape = conversion.convert(stored) else {
        return others.append((try object(), conversion.others(stored), isLinked))
      }
      try staging(in: writer.table) { try writer.write(conversion.row, of: object()) }
      try noteLost(stored, shape, of: object)
      if isLinked { try enter(shape.keys.map { conversion.row[$0.to] }) }
      shape.count += 1
      number += 1
      if number % 1000 == 0 { try report(table) }
    }
    try report(table)
    for (object, values, isLinked) in others {
      try staging(in: writer.table) { try objects.stage(object, with: writer, values: values) }
      if isLinked { try enter(objects.keys.key(of: object)) }
    }
    try staging(in: writer.table) { try writer.finish() }
    for (name, count) in conversion.dangling { dangling[name, default: 0] += count }
  }

  /// Notes what a row holds that the staged one does not.
  private func noteLost(
    _ stored: [StoredValue], _ shape: SourceTable.Shape, of object: () throws -> ObjectID
  ) throws {
    guard objects.lost != nil else { return }
    let lost = shape.losses.filter { $0.loss.isFound(in: stored[$0.from]) }.map(\.name)
    guard !lost.isEmpty, let rules = layout.rules else { return }
    let compared = Set(rules.compared(of: shape.entity, options.modified).map(\.name))
    let names = lost.filter(compared.contains)
    guard !names.isEmpty else { return }
    let object = try object()
    objects.lost!.append("\(object): \(names.joined(separator: ", "))")
  }

  /// Stages a row in a table: one of the store's own may refuse it.
  private func staging(in table: TableSchema, _ body: () throws -> Void) throws {
    do { try body() } catch  where layout.isInPlace(table) {
      try options.checkCancellation()
      throw RowsNotInPlace()
    }
  }

  private func report(_ table: SourceTable) throws {
    for shape in table.shapes.values where shape.count > 0 {
      objects.progress.objects[shape.entity, default: 0] += shape.count
      shape.count = 0
    }
    try options.report(objects.progress)
  }

  // MARK: Pairs

  private func stage(_ join: SourceJoin) throws {
    let writer = try objects.rowWriter(into: join.staged)
    var row = Array(repeating: StoredValue.null, count: join.staged.columns.count)
    try rows.db.stream(join.query.text(rows.store.dialect)) { stored in
      for part in join.parts { row[part.to] = part.value(in: stored) ?? .null }
      try staging(in: join.staged) { try writer.write(row) }
    }
    try staging(in: join.staged) { try writer.finish() }
    try objects.options.checkCancellation()
  }
}

/// Turns rows of a query into rows of a staged table, one after another in one place.
private struct RowConversion {
  private(set) var row: [StoredValue]
  private(set) var dangling: [String: Int] = [:]
  private let table: SourceTable
  private let only: SourceTable.Shape?

  init(_ table: SourceTable, width: Int) {
    self.table = table
    row = Array(repeating: .null, count: width)
    only = table.table.discriminator == nil ? table.shapes[""] : nil
  }

  /// - Returns: the shape of the row; nil where it needs a second look.
  mutating func convert(_ stored: [StoredValue]) -> SourceTable.Shape? {
    guard let shape = only ?? self.shape(of: stored[0]) else { return nil }
    for place in row.indices { row[place] = .null }
    for part in shape.keys {
      guard let value = part.value(in: stored), !value.isNull, set(value, place: part.to) else { return nil }
    }
    for part in shape.attributes {
      guard let value = part.value(in: stored) else { return nil }
      row[part.to] = value
    }
    if let mark = shape.mark { row[mark.place] = mark.value }
    for part in table.unmapped { row[part.to] = stored[part.from] }
    for reference in shape.references {
      guard refer(reference, stored: stored) else { return nil }
    }
    for list in shape.lists {
      if stored[list.isListed].isNull { continue }
      for part in list.parts {
        guard let value = part.value(in: stored) else { return nil }
        row[part.to] = value
      }
    }
    return shape
  }

  /// What a row that needs a second look has from the owners of its lists and beside the model, by columns.
  func others(_ stored: [StoredValue]) -> [Int: StoredValue] {
    var values: [Int: StoredValue] = [:]
    for part in table.unmapped { values[part.to] = stored[part.from] }
    for reference in table.shapes.first?.value.references ?? [] {
      for (place, value) in half(reference, stored: stored) { values[place] = value }
    }
    for list in table.shapes.first?.value.lists ?? [] where !stored[list.isListed].isNull {
      for part in list.parts { values[part.to] = part.value(in: stored) }
    }
    return values
  }

  private func shape(of mark: StoredValue) -> SourceTable.Shape? {
    if case .text(let text) = mark { return table.shapes[text] }
    return table.shapes[AttributeValue(raw: mark).description]
  }

  private mutating func refer(_ reference: SourceTable.Reference, stored: [StoredValue]) -> Bool {
    if reference.parts.contains(where: { stored[$0.from].isNull }) {
      let isHeld = !reference.held.isEmpty && reference.held.allSatisfy { !stored[$0].isNull }
      if reference.identifies || isHeld && reference.isNarrow { return false }
      if isHeld { dangling[reference.name, default: 0] += 1 }
      for (place, value) in half(reference, stored: stored) { _ = set(value, place: place) }
      return true
    }
    return reference.parts.allSatisfy { part in
      part.value(in: stored).map { set($0, place: part.to) } ?? false
    }
  }

  /// A key of which a part is null references nothing; what the row holds of it is a value like any.
  private func half(_ reference: SourceTable.Reference, stored: [StoredValue]) -> [(Int, StoredValue)] {
    guard !reference.halves.isEmpty else { return [] }
    let held =
      reference.held.isEmpty ? reference.parts.map { stored[$0.from] } : reference.held.map { stored[$0] }
    guard held.contains(where: \.isNull) else { return [] }
    return reference.halves.filter { !held[$0].isNull }.compactMap { place in
      let part = reference.parts[place]
      return part.converted(held[place]).map { (part.to, $0) }
    }
  }

  /// - Returns: whether the place is free for the value.
  private mutating func set(_ value: StoredValue, place: Int) -> Bool {
    guard row[place].isNull || row[place] == value else { return false }
    row[place] = value
    return true
  }
}
