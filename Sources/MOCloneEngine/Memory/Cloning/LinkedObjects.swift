/// The distinct objects outside a closure that its clones link to, by the entity that the relationship names.
struct LinkedObjects: ~Copyable {
  /// Whether the run wants to know.
  var isCounting = false
  private let store: MemoryStore
  /// Of each entity: its rows that were seen, and which they are.
  private var seen: [DenseMap]
  private var rows: [[Row]]
  /// Of each relationship: its destination.
  private let destinations: [Int]

  init(store: MemoryStore) {
    self.store = store
    seen = store.layout.entities.map { _ in DenseMap() }
    rows = store.layout.entities.map { _ in [] }
    destinations = store.layout.relations.map(\.destination)
  }

  deinit {
    for map in seen { map.deallocate() }
  }

  mutating func add(_ row: Row, over relation: Int) {
    guard isCounting else { return }
    let entity = destinations[relation]
    if rows[entity].isEmpty { seen[entity].reserve(store.spaces[store.layout.entities[entity].table].count) }
    guard seen[entity][row] == 0 else { return }
    seen[entity][row] = 1
    rows[entity].append(row)
  }

  mutating func clear() {
    guard isCounting else { return }
    for entity in rows.indices {
      for row in rows[entity] { seen[entity][row] = 0 }
      rows[entity].removeAll(keepingCapacity: true)
    }
  }

  var counts: [String: Int] {
    let named = zip(store.layout.entities, rows).filter { !$1.isEmpty }.map { ($0.name, $1.count) }
    return Dictionary(uniqueKeysWithValues: named)
  }
}
