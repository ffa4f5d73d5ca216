extension NamingConvention {
  /// The table of an entity.
  func table(_ entity: String) -> String {
    switch self {
    case .snakeCase: Self.snakeCase(entity)
    case .asWritten: entity
    case .grdb: Self.lowerCamelCase(entity)
    }
  }

  /// The column of an attribute.
  func column(_ attribute: String) -> String {
    self == .snakeCase ? Self.snakeCase(attribute) : attribute
  }

  /// The columns of a foreign key: one for a key of one column, else one for each part.
  func foreignKey(_ relationship: String, keyColumns: [String]) -> [String] {
    let isSingle = keyColumns.count == 1
    return keyColumns.map { part in
      switch self {
      case .snakeCase: Self.snakeCase(relationship) + (isSingle ? "_id" : "_" + part)
      case .asWritten: relationship + (isSingle ? "" : "_" + part)
      case .grdb: Self.lowerCamelCase(relationship) + (isSingle ? "Id" : Self.upperFirst(part))
      }
    }
  }

  /// The table that joins two entities, named in the order of their names' bytes.
  func joinTable(_ entities: (String, String)) -> String {
    let (first, second) = entities.0 <= entities.1 ? entities : (entities.1, entities.0)
    return switch self {
    case .snakeCase: Self.snakeCase(first) + "_" + Self.snakeCase(second)
    case .asWritten: first + "_" + second
    case .grdb: Self.lowerCamelCase(first) + second
    }
  }

  /// `itemData` to `item_data`, `noteID` to `note_id`: the words that JSONEncoder's `convertToSnakeCase` finds.
  static func snakeCase(_ name: String) -> String {
    let letters = Array(name)
    var words: [String] = []
    var start = 0
    for i in letters.indices.dropFirst() where letters[i].isUppercase {
      let afterSmall = !letters[i - 1].isUppercase
      let beforeSmall = i + 1 < letters.count && letters[i + 1].isLowercase
      guard afterSmall || beforeSmall else { continue }
      words.append(String(letters[start..<i]))
      start = i
    }
    words.append(String(letters[start...]))
    return words.map { $0.lowercased() }.joined(separator: "_")
  }

  private static func lowerCamelCase(_ name: String) -> String {
    name.prefix(1).lowercased() + name.dropFirst()
  }

  private static func upperFirst(_ name: String) -> String {
    name.prefix(1).uppercased() + name.dropFirst()
  }
}
