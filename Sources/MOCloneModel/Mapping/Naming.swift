extension NamingConvention {
  func table(_ entity: String) -> String {
    switch self {
    case .snakeCase: Self.snakeCase(entity)
    case .asWritten: entity
    case .grdb: entity.prefix(1).lowercased() + entity.dropFirst()
    case .coreData: "Z" + entity.uppercased()
    }
  }

  func column(_ attribute: String) -> String { self == .grdb ? attribute : table(attribute) }

  /// The columns of a foreign key: one for a key of one column, else one for each part.
  func foreignKey(_ relationship: String, keyColumns: [String]) -> [String] {
    let isSingle = keyColumns.count == 1
    return keyColumns.map { part in
      switch self {
      case .snakeCase: table(relationship) + (isSingle ? "_id" : "_" + part)
      case .asWritten, .coreData: table(relationship) + (isSingle ? "" : "_" + part)
      case .grdb: table(relationship) + (isSingle ? "Id" : part.upperFirst)
      }
    }
  }

  /// The table that joins two entities, named in the order of their names' bytes.
  func joinTable(_ entities: (String, String)) -> String {
    let (first, second) = entities.0 <= entities.1 ? entities : (entities.1, entities.0)
    return switch self {
    case .snakeCase, .asWritten: table(first) + "_" + table(second)
    case .grdb: table(first) + second
    case .coreData: table(first) + second.uppercased()
    }
  }

  /// `itemData` to `item_data`, `noteID` to `note_id`: word for word what JSONEncoder's `convertToSnakeCase` makes of
  /// a key, so that `URLItem` is `u_rl_item` here as there.
  static func snakeCase(_ name: String) -> String {
    // Most names are one word, and asking Unicode about each letter is slow in a large model.
    if name.utf8.dropFirst().allSatisfy({ $0 < 0x41 || 0x5B..<0x80 ~= $0 }) { return name.lowercased() }
    let bytes = Array(name.utf8)
    guard bytes.allSatisfy({ $0 < 0x80 }) else {
      return words(of: Array(name), isCapital: \.isUppercase, isSmall: \.isLowercase)
        .map { String($0).lowercased() }.joined(separator: "_")
    }
    return words(of: bytes, isCapital: { 0x41...0x5A ~= $0 }, isSmall: { 0x61...0x7A ~= $0 })
      .map { String(decoding: $0, as: UTF8.self).lowercased() }.joined(separator: "_")
  }

  private static func words<Letter>(
    of letters: [Letter], isCapital: (Letter) -> Bool, isSmall: (Letter) -> Bool
  ) -> [ArraySlice<Letter>] {
    var words: [ArraySlice<Letter>] = []
    var start = 0
    var next = 1
    while let capital = letters.indices.dropFirst(next).first(where: { isCapital(letters[$0]) }) {
      words.append(letters[start..<capital])
      start = capital
      guard let small = letters.indices[capital...].first(where: { isSmall(letters[$0]) }) else { break }
      if small > capital + 1 {
        words.append(letters[capital..<small - 1])
        start = small - 1
      }
      next = small + 1
    }
    return words + [letters[min(start, letters.count)...]]
  }
}
