/// Objects that go, and what stays in the place of each.
struct DuplicateMap {
  struct Place {
    var survivor: MemoryObject
    /// Among all that the survivor stands for, the better ones first.
    var rank: Int
  }

  private var places: [MemoryObject: Place] = [:]
  private var tables: Set<Int> = []

  var isEmpty: Bool { places.isEmpty }
  var losers: [MemoryObject] { places.keys.sorted { ($0.table, $0.row) < ($1.table, $1.row) } }

  func isLoser(_ object: MemoryObject) -> Bool { places[object] != nil }

  func hasLosers(in table: Int) -> Bool { tables.contains(table) }

  /// The object that an object is, or will be.
  func settled(_ object: MemoryObject) -> MemoryObject { places[object]?.survivor ?? object }

  /// The place of an object among those that become one, the better ones first; that of what stays is 0.
  func rank(_ object: MemoryObject) -> Int { places[object]?.rank ?? 0 }

  /// What goes from a table with what stays, the better ones of each group first.
  func pairs(in table: Int) -> [(loser: MemoryObject, survivor: MemoryObject)] {
    places.filter { $0.key.table == table }
      .map { (loser: $0.key, survivor: $0.value.survivor, rank: $0.value.rank) }
      .sorted { ($0.survivor.row, $0.rank, $0.loser.row) < ($1.survivor.row, $1.rank, $1.loser.row) }
      .map { ($0.loser, $0.survivor) }
  }

  /// Adds groups that were found together.
  mutating func add(_ groups: [DuplicateGroup]) {
    // What is found later comes after all that was found before.
    let step = 1 + (places.values.map(\.rank).max() ?? 0)
    for group in groups {
      tables.insert(group.survivor.table)
      for (rank, loser) in group.losers.enumerated() {
        places[loser] = Place(survivor: group.survivor, rank: (rank + 1) * step)
      }
    }
    // What stays by one identity can go by another one's, and what it stands for comes right after it.
    for (loser, place) in places {
      guard let next = places[place.survivor] else { continue }
      places[loser] = Place(survivor: next.survivor, rank: next.rank + place.rank)
    }
  }
}
