import Foundation
import MOCloneEngine
import MOCloneModel

/// Turns the parts of an entity's key into what its key columns hold, and back.
package struct KeyCoding {
  package let entity: EntityMapping

  package init(entity: EntityMapping) {
    self.entity = entity
  }

  /// How a part that is a UUID is written; nil for other parts, which stand as they are.
  private func uuid(_ part: Int) -> ValueCoding? {
    entity.key[part].uuids.map { ValueCoding(type: .uuid, form: .uuid($0)) }
  }

  /// Whether a UUID in a part has the form that the database gives it, whatever the model says.
  private func hasOwnForm(_ part: Int) -> Bool {
    let part = entity.key[part]
    return part.isTyped && part.uuids?.isWritten(in: part.base) != true
  }

  package func encode(_ value: AttributeValue, part: Int) -> StoredValue {
    if hasOwnForm(part) { return StorageForm.typed.stored(value) }
    let plain = ValueCoding(type: .string, form: .plain)
    return (uuid(part) ?? plain).encode(value)
  }

  package func encode(_ key: ObjectKey) -> [StoredValue] {
    key.parts.enumerated().map { encode($1, part: $0) }
  }

  /// What a part given by a person can be in the store, the declared form first: a UUID is found in every form.
  package func candidates(_ value: AttributeValue, part: Int) -> [StoredValue] {
    let plain = encode(value, part: part)
    guard let coding = coding(ofUUID: part), case .uuid(let uuid)? = coding.decode(plain) else {
      return [plain] + (entity.key[part].isTyped ? [] : untyped(plain))
    }
    if hasOwnForm(part) {
      // A column of texts holds either, and one of UUIDs takes either.
      return [.text(uuid.uuidString.lowercased()), .text(uuid.uuidString), plain].uniqued()
    }
    let forms = UUIDStorage.allCases.map { ValueCoding(type: .uuid, form: .uuid($0)).encode(.uuid(uuid)) }
    let all = ([coding.encode(.uuid(uuid)), plain] + forms).uniqued()
    // A column with a type is compared with values of its kind only.
    return entity.key[part].isTyped ? all.filter { $0.isText == all[0].isText } : all
  }

  /// A number or bytes where a person writes a text, which a column without a type tells apart.
  private func untyped(_ value: StoredValue) -> [StoredValue] {
    guard case .text(let text) = value else { return [] }
    if let number = Int64(text), String(number) == text { return [.integer(number)] }
    return Data(hexadecimalText: text).map { [StoredValue.blob($0)] } ?? []
  }

  /// A part as the store writes it: a UUID in another form than the model says, or in lower case as text, stays as it is.
  package func decode(_ value: StoredValue, part: Int) -> AttributeValue {
    guard let coding = coding(ofUUID: part), let uuid = coding.decode(value), coding.encode(uuid) == value,
      ![.uuid(.lowercaseText), .uuid(.compactText)].contains(coding.form)
    else { return AttributeValue(raw: value) }
    return uuid
  }

  /// How a UUID in a part is read; nil for other parts.
  private func coding(ofUUID part: Int) -> ValueCoding? {
    guard entity.key[part].isTyped else { return uuid(part) }
    // A key that the model shows as a string is one, also where a part of another key refers to it.
    let isUUID = entity.key[part].uuids != nil && !entity.key[part].isShownPlain
    guard isUUID else { return nil }
    return hasOwnForm(part) ? ValueCoding(type: .uuid, form: .typed) : uuid(part)
  }

  package func decode(_ row: [StoredValue], from first: Int) -> ObjectKey {
    ObjectKey(entity.key.indices.map { decode(row[first + $0], part: $0) })
  }
}
