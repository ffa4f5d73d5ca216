import MOCloneModel
import MOCloneYAML

/// The edits that bring a model file up to its source, and their report.
struct FileMerge {
  var editor: FileEditor
  var changes: [ModelUpdate.Change] = []
  let root: SyntaxNode
  let draft: ModelDraft
  let pairing: ModelPairing
  let addition: Addition
  private let writer: PartWriter
  /// The model of the file with what is new, and its mapping.
  let whole: ObjectModel
  let mapping: SchemaMapping
  private var takesOutOnly = false

  init(_ file: SourceFile, root: SyntaxNode, draft: ModelDraft, pairing: ModelPairing) {
    editor = FileEditor(file)
    (self.root, self.draft, self.pairing) = (root, draft, pairing)
    addition = Addition(pairing)
    writer = PartWriter(draft: draft, addition: addition)
    whole = addition.whole
    mapping = SchemaMapping(whole)
  }

  mutating func run() {
    takeOutEntities()
    let attributes = Self.pairs(pairing.new.entities.flatMap(\.attributes), by: \.entity) {
      pairing.attributes[PropertyName($0)]
    }
    let relationships = Self.pairs(pairing.new.entities.flatMap(\.relationships), by: \.entity) {
      pairing.relationships[PropertyName($0)]
    }
    for (entity, entry) in staying {
      for (own, new) in attributes[entity.name] ?? [] { change(own, to: new) }
      for (own, new) in relationships[entity.name] ?? [] { change(own, to: new) }
      takeOutProperties(of: entity, entry)
      addProperties(to: entity.name, entry)
      updateConstraints(of: entity, entry)
      changeKey(of: entity, entry)
      changeDiscriminator(of: entity, entry)
      changePlace(of: entity.name, entry)
    }
    addEntities()
    for name in pairing.joinEntities {
      report(.kept, .entity(name), "the model has a relationship with this join table")
    }
    for name in pairing.mergedEntities.sorted() {
      report(.kept, .entity(name), "the source has sub-entities of it, each with a reference of its own")
    }
    for key in pairing.otherKeys where !key.isTaken {
      let columns = key.columns.map(\.column).joined(separator: ", ")
      report(.kept, .entity(key.entity), "the key is \(columns) in the source")
    }
  }

  /// Properties of the source with what the file has of them, by the file's entities.
  private static func pairs<Property>(
    _ properties: [Property], by entity: KeyPath<Property, String>, own: (Property) -> Property?
  ) -> [String: [(own: Property, new: Property)]] {
    let pairs = properties.compactMap { new in own(new).map { (own: $0, new: new) } }
    return Dictionary(grouping: pairs) { $0.own[keyPath: entity] }
  }

  /// Only makes comments of what is gone, whose columns something else can have then.
  mutating func takeOut() {
    takesOutOnly = true
    takeOutEntities()
    for (entity, entry) in staying {
      takeOutProperties(of: entity, entry)
      updateConstraints(of: entity, entry)
    }
  }

  mutating func report(_ kind: ModelUpdate.Change.Kind, _ path: ModelPath, _ detail: String = "") {
    changes.append(ModelUpdate.Change(kind: kind, path: path, detail: detail))
  }

  // MARK: Places

  /// The entities of the file that stay, with their entries.
  private var staying: [(EntityDescription, SyntaxNode.Entry)] {
    pairing.old.entities.compactMap { entity in
      let isRemoved = pairing.gone.entities.contains { $0.name == entity.name }
      return isRemoved ? nil : entry(["entities", entity.name]).map { (entity, $0) }
    }
  }

  /// The entry at the end of some keys.
  func entry(_ keys: [String]) -> SyntaxNode.Entry? {
    var node = root
    var found: SyntaxNode.Entry?
    for key in keys {
      guard let entry = node.entries?.first(where: { $0.key == key }) else { return nil }
      (found, node) = (entry, entry.value)
    }
    return found
  }

  // MARK: New parts

  private mutating func addEntities() {
    guard let entry = entry(["entities"]) else { return }
    let new = addition.entities.map { entity -> FileEditor.NewEntry in
      report(.added, .entity(entity.name))
      return writer.entry(entity)
    }
    editor.add(new, toValueOf: entry, .sorted, separated: true)
  }

  private mutating func addProperties(to entity: String, _ entry: SyntaxNode.Entry) {
    let attributes = addition.attributes[entity] ?? []
    let relationships = addition.relationships[entity] ?? []
    for attribute in attributes {
      report(.added, .entity(entity) / "attributes" / attribute.name, attribute.typeText)
    }
    for relationship in relationships {
      report(
        .added, .entity(entity) / "relationships" / relationship.name,
        (relationship.isToMany ? "many " : "") + relationship.destination)
    }
    add(attributes.map { writer.entry($0, of: entity) }, section: "attributes", to: entry)
    add(relationships.map { writer.entry($0, of: entity) }, section: "relationships", to: entry)
  }

  private mutating func add(_ new: [FileEditor.NewEntry], section: String, to entity: SyntaxNode.Entry) {
    guard !new.isEmpty else { return }
    if let place = entity.value.entries?.first(where: { $0.key == section }) {
      editor.add(new, toValueOf: place, .sorted)
    } else {
      editor.add([FileEditor.NewEntry(section, of: new)], toValueOf: entity, .last)
    }
  }

  // MARK: Parts that are gone

  private mutating func takeOutEntities() {
    guard let map = entry(["entities"])?.value, let entries = map.entries else { return }
    let gone = pairing.gone.entities.compactMap { name, reason in
      entries.firstIndex { $0.key == name }.map { (number: $0, reason: reason) }
    }
    for (name, reason) in pairing.gone.entities { report(.gone, .entity(name), reason) }
    editor.commentOut(gone, of: map)
  }

  private mutating func takeOutProperties(of entity: EntityDescription, _ entry: SyntaxNode.Entry) {
    let names = [
      "attributes": entity.attributes.map(\.name), "relationships": entity.relationships.map(\.name),
    ]
    for section in ["attributes", "relationships"] {
      guard let map = entry.value.entries?.first(where: { $0.key == section })?.value else { continue }
      let gone = names[section]!.compactMap { name -> (number: Int, reason: String)? in
        guard let reason = pairing.gone.properties[PropertyName(entity: entity.name, name: name)],
          let number = map.entries?.firstIndex(where: { $0.key == name })
        else { return nil }
        report(.gone, .entity(entity.name) / section / name, reason)
        return (number, reason)
      }
      editor.commentOut(gone, of: map)
    }
  }

  /// What was commented out says something that the new part in its place does not.
  mutating func reportUnused(_ comment: RemovalComment, besides path: ModelPath) {
    let line = editor.lineInResult(comment.lines.lowerBound)
    report(
      .kept, path,
      comment.hasAnnotations
        ? "the annotations that are commented out in line \(line) do NOT apply to it; "
          + "write them here again and delete the comment"
        : "what is commented out in line \(line) is not taken over; compare the two")
  }

  // MARK: Uniqueness constraints

  private mutating func updateConstraints(of entity: EntityDescription, _ entry: SyntaxNode.Entry) {
    let gone = entity.uniquenessConstraints.indices.filter {
      entity.uniquenessConstraints[$0].contains { isRemoved($0, from: entity.name) }
    }
    let new = takesOutOnly ? [] : addition.constraints[entity.name] ?? []
    let path = ModelPath.entity(entity.name)
    for number in gone {
      report(.gone, path, "the uniqueness constraint \(Self.list(entity.uniquenessConstraints[number]))")
    }
    for constraint in new { report(.added, path, "the uniqueness constraint \(Self.list(constraint))") }
    guard let list = entry.value.entries?.first(where: { $0.key == "uniquenessConstraints" }) else {
      guard !new.isEmpty else { return }
      return editor.set(
        "uniquenessConstraints", to: "[\(new.map(Self.list).joined(separator: ", "))]", inValueOf: entry)
    }
    guard list.value.items?.count == entity.uniquenessConstraints.count else { return }
    editor.remove(items: gone, from: list.value)
    for constraint in new { editor.add(item: Self.list(constraint), to: list.value) }
  }

  /// Whether an entity has a property no more, nor another one of that name.
  private func isRemoved(_ name: String, from entity: String) -> Bool {
    let stays = whole.attribute(name, of: entity) != nil || whole.relationship(name, of: entity) != nil
    return (takesOutOnly || !stays)
      && pairing.old.lineage(of: entity).contains {
        pairing.gone.contains(PropertyName(entity: $0, name: name))
      }
  }

  private static func list(_ names: [String]) -> String {
    "[" + names.map(YAMLScalar.text).joined(separator: ", ") + "]"
  }
}

extension AttributeDescription {
  /// `String?`
  var typeText: String { type.rawValue + (isOptional ? "?" : "") }
}
