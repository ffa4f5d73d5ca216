/// Lists kept in columns: each owner's elements in their order, added and removed in constant time.
///
/// For a foreign key the elements are the rows that hold it, for a join its links. An element is in at most one
/// list, that of its owner.
final class RowList {
  /// Of each element: its owner and its neighbours.
  let owner, next, previous: RowColumn
  /// Of each owner: the ends of its list.
  let first, last: RowColumn

  init(owner: RowColumn, next: RowColumn, previous: RowColumn, first: RowColumn, last: RowColumn) {
    self.owner = owner
    self.next = next
    self.previous = previous
    self.first = first
    self.last = last
  }

  func elements(of owner: Row) -> [Row] {
    var elements: [Row] = []
    var element = first[owner]
    while element != noRow {
      elements.append(element)
      element = next[element]
    }
    return elements
  }

  /// Whether an owner has more elements than a count that is below a limit, without those from an end on.
  func hasMore(than count: Int, upTo limit: Int, of owner: Row, before end: Row) -> Bool {
    count < limit && first[owner] != noRow && elements(of: owner).count { $0 < end } > count
  }
}

extension RowList {
  /// The columns as bare memory, for loops during which no row is added.
  struct Cells {
    let owner, next, previous, first, last: UnsafeMutablePointer<Row>

    /// Adds an element at the end of an owner's list, where both are rows that the running operation has made, so
    /// that nothing need be noted for taking it back.
    func attach(_ element: Row, to newOwner: Row) {
      let tail = last[Int(newOwner)]
      owner[Int(element)] = newOwner
      previous[Int(element)] = tail
      if tail == noRow { first[Int(newOwner)] = element } else { next[Int(tail)] = element }
      last[Int(newOwner)] = element
    }
  }

  var cells: Cells {
    Cells(
      owner: owner.cells.base, next: next.cells.base, previous: previous.cells.base, first: first.cells.base,
      last: last.cells.base)
  }
}

/// A foreign key: its value in each member, and the list of members of each owner.
struct Reference {
  let list: RowList
  let memberTable: Int
  let ownerTable: Int
  /// The to-one relationship of the member; nil where the model names none.
  let forward: Int?
  /// The relationship of the owner that holds its members; nil where the model names none.
  let backward: Int?
  /// Whether an owner has at most one member.
  let isOneToOne: Bool
  /// Whether no member can do without its owner.
  let isRequired: Bool
  /// Whether the members have positions.
  let isOrdered: Bool
}

/// A many-to-many relationship: rows of two ends each, in a list of either end.
struct Join {
  let space: Int
  let sources: RowList
  let destinations: RowList
  let sourceTable: Int
  let destinationTable: Int
  let source: Int
  let destination: Int?

  /// The list that a side's objects own, and the list that the objects at the other end own.
  func lists(fromSource: Bool) -> (own: RowList, other: RowList) {
    fromSource ? (sources, destinations) : (destinations, sources)
  }
}
