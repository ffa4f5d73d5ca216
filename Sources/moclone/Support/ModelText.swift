import MOCloneKit

/// A model for people: a section for each entity, a line for each property with its column and its annotations.
struct ModelText {
  private let model: ObjectModel
  private let mapping: SchemaMapping
  private let ink: Ink

  /// The width that everything fits in, in characters.
  static let width = 100

  init(_ model: ObjectModel, hasColour: Bool = false) {
    self.model = model
    mapping = SchemaMapping(model)
    ink = Ink(hasColour: hasColour)
  }

  var text: String {
    ([heading] + model.entities.map(section)).joined(separator: "\n\n") + "\n"
  }

  private var heading: String {
    let count = model.entities.count
    let store = model.store
    let words = [
      "\(count) \(count == 1 ? "entity" : "entities")", "naming \(store.naming.rawValue)",
      store.schema.map { "schema \($0.printable)" },
      "dates \(store.dates.rawValue)", "UUIDs \(store.uuids.rawValue)",
    ].compactMap { $0 }.joined(separator: ", ")
    let rows = [model.name.isEmpty ? [words] : [model.name.printable, words]]
    return TextTable(indent: 0, width: Self.width, rows: rows)
      .lines { column, text in column == rows[0].count - 1 ? ink.dim(text) : ink.bold(text) }
      .joined(separator: "\n")
  }

  // MARK: Entities

  private func section(_ entity: EntityDescription) -> String {
    let rows = entity.attributes.map { row($0, of: entity) } + entity.relationships.map(row)
    let table = TextTable(indent: 2, width: Self.width, rows: rows.map { $0.map(\.printable) })
    let lines = table.lines { column, text in
      switch column {
      case 0: text
      case 3: ink.remarks(text)
      default: ink.dim(text)
      }
    }
    return (title(entity) + lines + footer(entity)).joined(separator: "\n")
  }

  private func title(_ entity: EntityDescription) -> [String] {
    let map = mapping[entity.name]
    let abstract = entity.isAbstract ? "abstract " : ""
    let parent = entity.parent.map { ": \($0)" } ?? ""
    let rows = map.discriminator.map { " where \($0.column) = '\($0.value)'" } ?? ""
    let name = "\(abstract)\(entity.name)\(parent)".printable
    let place = "table \(map.table)\(rows), key \(map.keyColumns.joined(separator: ", "))".printable
    let lines = TextTable(indent: 0, width: Self.width, rows: [[name, place]])
    return lines.lines { column, text in column == 0 ? ink.bold(text) : ink.dim(text) }
  }

  private func footer(_ entity: EntityDescription) -> [String] {
    let compound = entity.uniquenessConstraints.filter { !isOfAttribute($0, entity: entity) }
    let words =
      compound.map { "unique: " + $0.joined(separator: ", ") }
      + [entity.renamedFrom.map { "renamed from \($0)" }].compactMap { $0 }
      + entity.userInfo.sorted { $0.key < $1.key }.map { $1.isEmpty ? $0 : "\($0): \($1)" }
    return TextTable(indent: 2, width: Self.width, rows: words.map { [$0.printable] })
      .lines { _, text in ink.dim(text) }
  }

  private func isOfAttribute(_ constraint: [String], entity: EntityDescription) -> Bool {
    constraint.count == 1 && entity.attributes.contains { $0.name == constraint[0] }
  }

  // MARK: Properties

  private func row(_ attribute: AttributeDescription, of entity: EntityDescription) -> [String] {
    let isUnique = entity.uniquenessConstraints.contains([attribute.name])
    let words = [
      isUnique ? "unique" : nil, attribute.isTransient ? "transient" : nil,
      attribute.derivation.map { $0 == .trigger ? "derived by triggers" : "derived" },
      attribute.defaultValue.map { "default \($0)" }, attribute.minimum.map { "min \($0)" },
      attribute.maximum.map { "max \($0)" }, attribute.pattern.map { "pattern \($0)" },
      attribute.storage.map(form),
    ]
    return [
      attribute.name, attribute.type.rawValue + (attribute.isOptional ? "?" : ""),
      mapping[entity.name].attributes[attribute.name]?.column ?? "-",
      remarks(words, userInfo: attribute.userInfo),
    ]
  }

  private func row(_ relationship: RelationshipDescription) -> [String] {
    let many = relationship.isToMany ? (relationship.isOrdered ? "ordered " : "") + "many " : "one "
    let isOptional = relationship.isOptional && !relationship.isToMany
    let words = [
      relationship.inverse.map { "inverse \($0)" } ?? "no inverse",
      relationship.deleteRule == .nullify ? nil : "delete: \(relationship.deleteRule.rawValue)",
      relationship.minCount.map { "at least \($0)" }, relationship.maxCount.map { "at most \($0)" },
    ]
    return [
      relationship.name, "\(many)\(relationship.destination)\(isOptional ? "?" : "")",
      columns(of: mapping[relationship.entity].relationships[relationship.name]),
      remarks(words, userInfo: relationship.userInfo),
    ]
  }

  private func columns(of relationship: RelationshipMapping?) -> String {
    switch relationship {
    case .foreignKey(let key): key.columns.joined(separator: ", ")
    case .inverseForeignKey(let key): "\(mapping[key.entity].table).\(key.columns.joined(separator: ", "))"
    case .join(let join): "\(join.table)(\((join.columns + join.destinationColumns).joined(separator: ", ")))"
    case nil: "-"
    }
  }

  /// Annotations are marked as such, for they decide what a clone holds.
  private func remarks(_ words: [String?], userInfo: [String: String]) -> String {
    let notes = userInfo.sorted { $0.key < $1.key }.map { "@\($0)" + ($1.isEmpty ? "" : ": \($1)") }
    return (words.compactMap { $0 } + notes).joined(separator: ", ")
  }

  private func form(_ storage: ValueStorage) -> String {
    switch storage {
    case .date(let dates): "stored as \(dates.rawValue)"
    case .uuid(let uuids): "stored as \(uuids.rawValue)"
    }
  }
}

/// Escape sequences, where the console understands them.
private struct Ink {
  let hasColour: Bool

  func bold(_ text: String) -> String { paint(text, code: "1") }
  func dim(_ text: String) -> String { paint(text, code: "2") }

  /// Words that begin with `@` stand out.
  func remarks(_ text: String) -> String {
    guard hasColour else { return text }
    return text.replacing(#/@[^,]+/#) { "\u{1B}[35m\($0.output)\u{1B}[0m" }
  }

  private func paint(_ text: String, code: String) -> String {
    hasColour && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}
