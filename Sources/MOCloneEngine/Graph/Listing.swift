extension Collection where Element: CustomStringConvertible {
  /// The first ones as people read them, and how many more there are.
  package func listed(_ count: Int = 10) -> String {
    let rest = self.count > count ? " and \(self.count - count) more" : ""
    return prefix(count).map(\.description).joined(separator: ", ") + rest
  }
}
