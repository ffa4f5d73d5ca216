extension Sequence {
  /// The elements without those whose key an earlier one has.
  package func uniqued<Key: Hashable>(by key: (Element) -> Key) -> [Element] {
    var seen: Set<Key> = []
    return filter { seen.insert(key($0)).inserted }
  }

  /// The first element whose key an earlier one has.
  func firstRepetition<Key: Hashable>(by key: (Element) -> Key) -> Element? {
    var seen: Set<Key> = []
    return first { !seen.insert(key($0)).inserted }
  }
}

extension Sequence where Element: Hashable {
  package func uniqued() -> [Element] { uniqued { $0 } }
}
