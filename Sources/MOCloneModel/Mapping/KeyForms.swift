/// Tells how the parts of keys that hold UUIDs are written, those that are in foreign keys included.
struct KeyForms {
  let entities: [String: EntityMapping]

  /// The mappings with the form of each part of their keys.
  func settled() -> [String: EntityMapping] {
    entities.mapValues { mapping in
      var mapping = mapping
      for i in mapping.key.indices {
        mapping.key[i].uuids = form(of: mapping.key[i].column, mapping.entity)
        mapping.key[i].isShownPlain = isShownPlain(mapping.key[i].column, mapping.entity)
      }
      return mapping
    }
  }

  /// - Parameter depth: how many foreign keys led here; a key can be in itself in a faulty model only.
  private func form(of column: String, _ entity: String, depth: Int = 0) -> UUIDStorage? {
    guard let mapping = entities[entity], depth <= entities.count else { return nil }
    let part = mapping.keyPart(of: column).map { mapping.key[$0].source }
    if case .uuid(let storage) = part { return storage }
    let attribute = mapping.attributes.values.first {
      $0.type == .uuid && $0.column.sqlName == column.sqlName
    }
    if let attribute { return attribute.uuids }
    guard case .relationship(let name, let i) = part, let key = mapping.foreignKey(name)
    else { return nil }
    return form(of: key.references[i], key.destination, depth: depth + 1)
  }

  private func isShownPlain(_ column: String, _ entity: String, depth: Int = 0) -> Bool {
    guard let mapping = entities[entity], depth <= entities.count else { return false }
    let attributes = mapping.attributes.values.filter { $0.column.sqlName == column.sqlName }
    guard attributes.isEmpty else { return attributes.allSatisfy { $0.type != .uuid } }
    guard let part = mapping.keyPart(of: column),
      case .relationship(let name, let i) = mapping.key[part].source, let key = mapping.foreignKey(name)
    else { return false }
    return isShownPlain(key.references[i], key.destination, depth: depth + 1)
  }
}
