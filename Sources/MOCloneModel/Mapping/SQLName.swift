extension String {
  /// The name as SQLite compares names of tables and columns: A to Z are a to z, and every other byte counts.
  ///
  /// `É` and `é` are two names there, as are the two ways of writing either. Equal exactly where the names are.
  package var sqlName: String {
    // Only characters of ASCII take one byte and one UTF-16 unit each; strings of nothing else know that of themselves.
    if utf8.count == utf16.count { return lowercased() }
    return utf8.reduce(into: "") { name, byte in
      // A letter beyond ASCII is written as its bytes: strings that Unicode takes for equal stay apart.
      name += byte < 0x80 ? String(UnicodeScalar(byte)).lowercased() : "%\(byte)"
    }
  }
}

extension Dictionary where Key == String {
  /// Values by names of a store, which tells apart what Unicode takes for equal: the later ones of such names are spelled
  /// out, as `cafe\u{0301}`.
  package init(named values: some Sequence<(String, Value)>) {
    self.init()
    for (name, value) in values {
      let isNew = self[name] == nil
      self[isNew ? name : name.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()] = value
    }
  }
}
