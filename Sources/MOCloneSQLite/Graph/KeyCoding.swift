import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel

/// Turns the parts of an entity's key into what its key columns hold, and back.
struct KeyCoding {
  let entity: EntityMapping

  /// How a part that is a UUID is written; nil for other parts, which stand as they are.
  private func uuid(_ part: Int) -> ValueCoding? {
    if case .uuid(let storage) = entity.key[part].source {
      return ValueCoding(type: .uuid, form: .uuid(storage))
    }
    return entity.attributes.values.first { $0.keyPart == part && $0.type == .uuid }.map { ValueCoding($0) }
  }

  func encode(_ value: AttributeValue, part: Int) -> DatabaseValue {
    let plain = ValueCoding(type: .string, form: .plain)
    return (uuid(part) ?? plain).encode(value)
  }

  /// What a part given by a person can be in the store: a UUID is found in either case.
  func candidates(_ value: AttributeValue, part: Int) -> [DatabaseValue] {
    guard let coding = uuid(part), case .string(let text) = value, let uuid = UUID(uuidString: text) else {
      return [encode(value, part: part)]
    }
    return [
      coding.encode(.uuid(uuid)), uuid.uuidString.databaseValue, uuid.uuidString.lowercased().databaseValue,
    ]
  }

  func decode(_ value: DatabaseValue, part: Int) -> AttributeValue {
    if let coding = uuid(part), let decoded = coding.decode(value), coding.encode(decoded) == value {
      return decoded
    }
    return AttributeValue(raw: value)
  }

  func decode(_ row: Row, from first: Int) -> ObjectKey {
    ObjectKey(entity.key.indices.map { decode(row[first + $0], part: $0) })
  }
}
