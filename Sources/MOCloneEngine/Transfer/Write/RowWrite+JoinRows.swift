import MOCloneModel

// Pairs are rows of their own, in the lists of either end.
extension RowWrite {
  /// Adds the pairs of a relationship, none twice.
  mutating func join(_ number: Int) throws {
    let staged = rows.joinRows[number]
    guard !staged.isEmpty else { return }
    let relationship = rows.plan.joinRows[number].relationship
    let relation = graph.store.layout.relationNumber(relationship)
    guard case .links(let join, let fromSource) = graph.store.layout.relations[relation].side else { return }
    var links = Links(graph.store.joins[join], fromSource: fromSource)
    let isOrdered = policy.orders(relationship)
    let isOtherOrdered = policy.orders(rows.plan.model.inverse(of: relationship))
    var listed: [Row: [Row]] = [:]
    var placed: [Row: [(place: (Int, Int), owner: Row)]] = [:]
    for joinRow in staged {
      guard let owner = objects[joinRow.source], let member = objects[joinRow.destination] else { continue }
      if policy.references == .keep, !made.contains(owner), !made.contains(member) { continue }
      let isNew = links.insert(owner.row, member.row)
      if isOrdered { listed[owner.row, default: []].append(member.row) }
      if isNew || isOtherOrdered, let position = joinRow.position {
        placed[member.row, default: []].append(((joinRow.destination, position), owner.row))
      }
      guard isNew else { continue }
      graph.addLink(
        owner.row, member: member.row, join: graph.store.joins[join], relation: relation,
        fromSource: fromSource)
      counts.linked[relationship.qualifiedName, default: 0] += 1
    }
    for (owner, members) in listed {
      graph.moveLinks(of: owner, to: members.uniqued(), graph.store.joins[join], fromSource: fromSource)
    }
    for (member, owners) in placed where owners.count > 1 || isOtherOrdered {
      let ordered = owners.sorted { $0.place < $1.place }.map(\.owner).uniqued()
      graph.moveLinks(of: member, to: ordered, graph.store.joins[join], fromSource: !fromSource)
    }
  }

  /// Clones whose required lists lose what they are linked to and the graph does not have.
  mutating func checkLinked(_ number: Int) {
    let relationship = rows.plan.joinRows[number].relationship
    let ends = rows.joinRows[number].map { (own: $0.source, other: $0.destination) }
    checkLinked(relationship, ends)
    checkLinked(rows.plan.model.inverse(of: relationship), ends.map { (own: $0.other, other: $0.own) })
  }

  private mutating func checkLinked(_ list: RelationshipDescription?, _ ends: [(own: Int, other: Int)]) {
    guard let list, list.leastCount > 0 else { return }
    let lists = Dictionary(grouping: ends) { $0.own }.sorted { $0.key < $1.key }
    for (row, ends) in lists where isNew(row) {
      let kept = ends.filter { objects[$0.other] != nil }.count
      guard kept < min(list.leastCount, ends.count), let object = rows.rows[row].object else { continue }
      failures += CloneError.tooFewLeft(list, of: object).failures
    }
  }

  /// What objects are linked to, read from the graph once for each of them.
  private struct Links {
    private let own, other: RowList
    private var known: [Row: Set<Row>] = [:]

    init(_ join: Join, fromSource: Bool) { (own, other) = join.lists(fromSource: fromSource) }

    /// - Returns: whether the pair is new.
    mutating func insert(_ row: Row, _ member: Row) -> Bool {
      let (own, other) = (own, other)
      return known[row, default: Set(own.elements(of: row).map { other.owner[$0] })].insert(member).inserted
    }
  }
}

extension MemoryGraph {
  /// Puts some of an object's links behind the others, in a given order.
  func moveLinks(of row: Row, to members: [Row], _ join: Join, fromSource: Bool) {
    let (own, other) = join.lists(fromSource: fromSource)
    let links = Dictionary(uniqueKeysWithValues: own.elements(of: row).map { (other.owner[$0], $0) })
    for link in members.compactMap({ links[$0] }) {
      store.detach(link, in: own)
      store.attach(link, to: row, in: own)
    }
  }
}
