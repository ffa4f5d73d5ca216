import MOCloneEngine
import MOCloneModel

/// SQL for a subtree that is cut out: what it is linked to, what of that is missing, and what of it is written.
package struct SubtreeReach {
  private let layout: TransferLayout
  private let subtree: CopiedSubtree
  private let reach: Reach
  private let states: [TransferState]
  private var dialect: Dialect { layout.dialect }
  private var columns: [String] { reach.columns }

  /// - Parameter states: what is known of the streams; nothing before it is known which have objects outside.
  /// - Returns: nil where nothing is cut out.
  package init?(_ layout: TransferLayout, states: [TransferState] = []) {
    guard let subtree = layout.subtree else { return nil }
    self.layout = layout
    self.states = states
    self.subtree = subtree
    reach = layout.reach
  }

  /// The objects outside that the request names.
  private var given: TemporaryTable { reach.table("given") }
  /// The roots that have their number from the request.
  private var numbered: TemporaryTable { reach.table("numbered") }
  /// What the request is about, with the tables that it is entered in.
  package var named: [(objects: [ObjectID], table: TemporaryTable)] {
    [(subtree.given, given)] + (subtree.numbered.isEmpty ? [] : [(subtree.numbered, numbered)])
  }
  /// Every object outside that comes along.
  package var linked: TemporaryTable { reach.table("linked") }
  /// Those that members ask for themselves.
  private var direct: TemporaryTable { reach.table("direct") }
  /// Those that are to be made.
  private var needed: TemporaryTable { reach.table("needed") }

  /// The members that ask for a relationship for which others do not, by its qualified name.
  package var asking: [String: TemporaryTable] {
    let names = subtree.asking.keys.sorted()
    return Dictionary(
      uniqueKeysWithValues: names.enumerated().map { ($1, reach.table("asking\($0)")) })
  }

  package var setUp: [String] { reach.table.setUp + setUpLinks }

  /// The statements that make the tables of what is linked to, beside the one of what was reached.
  var setUpLinks: [String] {
    (named.map(\.table) + [linked, direct, needed] + asking.values).flatMap(\.setUp)
  }

  /// The statements that enter the staged rows as members, but for those that are entered as linked to. Of a stream
  /// without these all are members, which need not be entered.
  var enterMembers: [String] {
    layout.streams.filter(canBeOutside).map { stream in
      let rows = Select(reach.object(stream, stream.key("s")), from: stream.rows("s"))
        .where(!isLinked(stream, stream.key("s")))
      return reach.table.insert(columns, rows)
    }
  }

  // MARK: What is linked

  /// Enters what members are linked to, and what that needs, among what is copied.
  package func enterLinked(by statements: any StatementRunning) throws {
    let isSame = Condition.equal(columns.map { "r.\($0)" }, columns.map { "x.\($0)" })
    let isOutside = !Condition.exists(in: reach.table.rows("r"), where: isSame, dialect)
    let asked = asked
    let first = [Select(columns, from: given.rows("x")).where(isOutside)] + asked.map(\.rows)
    let start = Select(columns, from: direct.rows("d"))
    let further = further(from: asked.map(\.stream) + subtree.given.map { layout.stream(of: $0.entity) })
    let links = Recursion(columns: columns, start: [start], steps: further, name: "links", row: "r")
    for parts in first.inGroups(of: Union.fewParts) {
      let rows = Union(parts: parts, dropsDuplicates: true).text(dialect)
      try statements.execute(direct.insert(columns, rows: rows, conflict: .skip))
    }
    if further.isEmpty {
      try statements.execute(linked.insert(columns, start, conflict: .skip))
    } else {
      try reach.enter(linked, links, where: isOutside, by: statements)
    }
    let members = Select(columns, from: linked.rows("l"))
    try statements.execute(reach.table.insert(columns, members, conflict: .skip))
  }

  /// The rows outside, of one stream after another, that members ask for themselves.
  private var asked: [(stream: RowStream, rows: Select)] {
    let own = references.filter { subtree.asks($0.reference.reference.forward) }.map { stream, reference in
      outside(layout.destination(of: reference)!, from: stream) {
        forward(reference, of: stream, fromAll: $0)
      }
    }
    let holders = layout.streams.filter(canBeOutside).flatMap { stream in
      stream.references.filter { subtree.requires($0.reference.backward) }.map { reference in
        outside(stream, from: layout.destination(of: reference)!) {
          reach.backward(reference, of: stream, fromAll: $0)
        }
      }
    }
    let joinRows = layout.joinRows.flatMap { joinRows in
      zip(joinRows.ends.indices, [joinRows.join.relationship, joinRows.join.inverse])
        .filter { subtree.asks($1) && canBeOutside(layout.streams[joinRows.ends[1 - $0].stream]) }
        .map { end, relationship in
          let streams = joinRows.ends.map { layout.streams[$0.stream] }
          let asks = asks(relationship, of: streams[end], key: streams[end].key("s"))
          return outside(streams[1 - end], from: streams[end]) {
            reach.pair(joinRows, end: end, fromAll: $0).where(asks)
          }
        }
    }
    return own + holders + joinRows
  }

  /// The steps to what objects of some streams need, and what that needs.
  private func further(from streams: [RowStream]) -> [Recursion.Step] {
    let copied = copied(creates: subtree.missing == .create)
    let leading = Dictionary(grouping: copied) { $0.stream.index }
    var (reached, open) = (Set(streams.map(\.index)), streams)
    while let stream = open.popLast() {
      for (_, reference) in leading[stream.index] ?? [] {
        let destination = layout.destination(of: reference)!
        if reached.insert(destination.index).inserted { open.append(destination) }
      }
    }
    return copied.filter { reached.contains($0.stream.index) }
      .map { stream, reference in forward(reference, of: stream) }
  }

  /// From a row to what it refers to. By a unique value that is no row beside a member which has it: a store that is passed
  /// through holds originals beside their clones.
  private func forward(
    _ reference: StreamReference, of stream: RowStream, fromAll: Bool = false
  ) -> Recursion.Step {
    let step = reach.forward(reference, of: stream, fromAll: fromAll)
    let (destination, references) = (layout.destination(of: reference)!, reference.key.references)
    guard destination.table.keys.places(of: references) == nil else { return step }
    let isSame = Condition.equal(
      dialect.columns("z", references), dialect.columns("x", references))
    let isMember = isSame && reach.contains(destination, key: destination.key("z"))
    return step.where(!.exists(in: destination.rows("z"), where: isMember, dialect))
  }

  /// The references that can lead to objects outside.
  private var references: [(stream: RowStream, reference: StreamReference)] {
    layout.streams.flatMap { stream in
      stream.references.filter { canBeOutside(layout.destination(of: $0)!) }.map { (stream, $0) }
    }
  }

  /// Whether objects of a stream can be outside the subtree, as far as is known.
  private func canBeOutside(_ stream: RowStream) -> Bool {
    states.isEmpty || states[stream.index].hasLinked
  }

  /// The rows `x` of a stream, outside the subtree, that a step finds from the members of another one.
  ///
  /// - Parameter step: the step, from all rows or from those that were reached.
  private func outside(
    _ destination: RowStream, from stream: RowStream, step: (_ fromAll: Bool) -> Recursion.Step
  ) -> (stream: RowStream, rows: Select) {
    let rows = canBeOutside(stream) ? step(false).rows(from: "\(reach.table.sql) r") : step(true).rows
    return (destination, rows.where(!reach.contains(destination, key: destination.key("x"))))
  }

  /// The references whose destinations an object outside brings along.
  private func copied(creates: Bool) -> [(stream: RowStream, reference: StreamReference)] {
    references.filter { _, reference in
      reference.reference.forward.map { layout.rules!.copies($0, creates: creates) } ?? false
    }
  }

  /// Whether an object is outside the subtree, and linked to.
  package func isLinked(_ stream: RowStream, _ key: [String]) -> Condition {
    guard canBeOutside(stream) else { return .never }
    return reach.contains(linked, stream: stream, key: key)
  }

  /// Whether any object of a stream is.
  func hasLinked(_ stream: RowStream) -> Select {
    let isAny = Condition.exists(in: linked.rows("q"), where: .sql("q.t = \(stream.index)"), dialect)
    return Select([isAny.choose("1", else: "0")], from: nil)
  }

  // MARK: Numbers

  /// The rows `s` that keep a number of their keys which is counted: clones have new ones, but for roots
  /// that the request gives one, and what is linked to stays what it is identified by.
  ///
  /// - Returns: these rows, and those of them that are certain to become objects if they do not exist.
  func keepsNumber(_ stream: RowStream, identifies: Bool) -> (rows: Condition, made: Condition) {
    let key = stream.key("s")
    let isSet: Condition =
      subtree.numbered.isEmpty ? .never : reach.contains(numbered, stream: stream, key: key)
    let rows = identifies ? isSet || isLinked(stream, key) : isSet
    return (rows: rows, made: subtree.missing == .create ? rows : isSet)
  }

  // MARK: What is missing

  /// The rows `s` that members are linked to and that the store does not have, looked up by what was reached.
  private func missingRows(_ stream: RowStream) -> Select {
    let tie = Condition.equal(reach.noted(stream.key("s")), stream.keys.parts("d.k"))
    return Select([], from: direct.rows("d"))
      .joined("\(stream.sql) s", on: .sql("d.t = \(stream.index)") && tie)
      .where(!exists(stream, key: stream.key("s")))
  }

  private func exists(_ stream: RowStream, key: [String]) -> Condition {
    exists(stream, where: .equal(stream.keys.parts("m.o"), key))
  }

  private func exists(_ stream: RowStream, where isEntry: Condition) -> Condition {
    .exists(in: layout.map(stream).rows("m"), where: layout.exists("m") && isEntry, dialect)
  }

  /// The keys of linked objects that members refer to and the other store does not have.
  package func missing(_ stream: RowStream) -> Select {
    missingRows(stream).with(stream.key("s"))
  }

  /// Notes the linked objects that are to be made: those that are missing, and what these need.
  package func enterNeeded(by statements: any StatementRunning) throws {
    let first = layout.streams.map { stream in
      missingRows(stream).with(reach.object(stream, stream.key("s")))
    }
    let steps =
      copied(creates: true).map { stream, reference in
        let destination = layout.destination(of: reference)!
        return reach.forward(reference, of: stream)
          .where(!exists(destination, key: destination.key("x")))
      } + layout.streams.map(firstRows)
    let need = Recursion(columns: columns, start: first, steps: steps, name: "need", row: "r")
    try reach.enter(needed, need, by: statements)
  }

  /// The rows that count for needed ones which have the same identity.
  private func firstRows(_ stream: RowStream) -> Recursion.Step {
    let map = layout.map(stream)
    let isEntry = Condition.equal(reach.noted(stream.keys.parts("m.o")), stream.keys.parts("r.k"))
    let isFirst = Condition.equal(stream.table.keys("h.n"), stream.table.keys("m.n")) && layout.isNew("h")
    return Recursion.Step(
      source: stream.index, columns: reach.object(stream, stream.keys.parts("h.o")),
      joins: [
        .ordered("\(map.sql) m", on: .sql("r.t = \(stream.index)") && isEntry && layout.isJoined("m")),
        .ordered("\(map.sql) h", on: isFirst),
      ])
  }

  /// Takes linked objects that are neither there nor to be made out of what is copied.
  package func drop(_ stream: RowStream) -> String {
    let key = stream.keys.parts("r.k")
    let isNeeded: Condition =
      subtree.missing == .create ? reach.contains(needed, stream: stream, key: key) : .never
    let exists = exists(stream, where: .equal(reach.noted(stream.keys.parts("m.o")), key))
    return Delete("\(reach.table.sql) AS r").where(
      .sql("r.t = \(stream.index)") && isLinked(stream, key) && !exists && !isNeeded
    ).text
  }

  /// The same among keys that are written down.
  package func dropFromMap(_ stream: RowStream) -> String {
    Delete("\(layout.map(stream).sql) AS m").where(!reach.contains(stream, key: stream.keys.parts("m.o")))
      .text
  }

  // MARK: What is written

  /// What a reference becomes in the row `s`: of a member what it asks for, of other objects what they cannot do without.
  func values(_ new: [String], of reference: StreamReference, stream: RowStream) -> [String] {
    let none = new.map { _ in "NULL" }
    let own = reference.reference
    let isCopied = own.forward.map { layout.rules!.copies($0, creates: true) } ?? false
    func inside() -> [String] {
      let isInside = !leadsToLinked(reference)
      return new.map { isInside.choose($0, else: "NULL") }
    }
    var ofLinked = isCopied ? new : none
    if !isCopied, subtree.requires(own.backward) { ofLinked = inside() }
    var ofMember = new
    if !subtree.asks(own.forward) { ofMember = subtree.asks(own.backward) ? inside() : none }
    guard ofMember != ofLinked else { return ofMember }
    let isLinked = isLinked(stream, stream.key("s"))
    return zip(ofMember, ofLinked).map { isLinked.choose($1, else: $0) }
  }

  private func leadsToLinked(_ reference: StreamReference) -> Condition {
    let destination = layout.destination(of: reference)!
    let columns = dialect.columns("s", reference.columns)
    let references = reference.key.references
    if let places = destination.keys.places(of: references) {
      return isLinked(destination, places.indices.map { columns[places.firstIndex(of: $0)!] })
    }
    let tie = Condition.equal(dialect.columns("d", references), columns)
    return .exists(
      in: destination.rows("d"), where: tie && isLinked(destination, destination.key("d")), dialect)
  }

  /// Whether a pair `j` is written: where a member among the two asks for it.
  func asks(for joinRows: JoinRowStream) -> Condition {
    zip(joinRows.ends, [joinRows.join.relationship, joinRows.join.inverse]).map {
      end, relationship -> Condition in
      let (stream, key) = (layout.streams[end.stream], dialect.columns("j", end.columns))
      return subtree.asks(relationship)
        ? !isLinked(stream, key) && asks(relationship, of: stream, key: key) : .never
    }.any
  }

  /// The same where some members ask for such pairs and others do not, which only their source knows; else it holds.
  func asksPartly(for joinRows: JoinRowStream) -> Condition {
    let names = [joinRows.join.relationship, joinRows.join.inverse].compactMap { $0?.qualifiedName }
    return names.contains { subtree.asking[$0] != nil } ? asks(for: joinRows) : .always
  }

  /// Whether a member asks for a relationship that is asked for.
  private func asks(
    _ relationship: RelationshipDescription?, of stream: RowStream, key: [String]
  ) -> Condition {
    guard let table = relationship.flatMap({ asking[$0.qualifiedName] }) else { return .always }
    return reach.contains(table, stream: stream, key: key)
  }
}
