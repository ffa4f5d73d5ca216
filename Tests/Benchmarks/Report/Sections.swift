extension Section {
  /// In the order of the table.
  static var all: [Section] {
    [notes]
  }
}
