import MOCloneModel

// What the source says otherwise about a property that the model has.
extension FileMerge {
  // MARK: Entities

  mutating func changeKey(of entity: EntityDescription, _ entry: SyntaxNode.Entry) {
    guard let key = pairing.otherKeys.first(where: { $0.entity == entity.name && $0.isTaken }) else { return }
    let text = FormNode.list(key.columns.map(\.form)).flow
    report(.changed, .entity(entity.name), "the key is \(text)")
    editor.set("primaryKey", to: text, inValueOf: entry)
  }

  /// The value that the rows of a sub-entity have now, where no other entity of the source has the former one.
  mutating func changeDiscriminator(of entity: EntityDescription, _ entry: SyntaxNode.Entry) {
    let home = mapping[entity.name]
    guard draft.shape != nil, pairing.versions == nil, entity.parent != nil,
      let known = home.discriminator?.value
    else { return }
    let relatives = pairing.new.entities.map { pairing.newMapping[$0.name] }
      .filter { $0.table.sqlName == home.table.sqlName }
    guard !relatives.contains(where: { $0.discriminator?.value == known }),
      let value = relatives.first(where: { pairing.entities[$0.entity] == entity.name })?.discriminator?.value
    else { return }
    report(.changed, .entity(entity.name), "the discriminator is '\(value)', was '\(known)'")
    editor.set("discriminator", to: "{value: \(YAMLScalar.text(value))}", inValueOf: entry)
  }

  /// What another version of a Core Data model says of an entity beside its properties.
  mutating func changePlace(of entity: String, _ entry: SyntaxNode.Entry) {
    guard pairing.versions != nil, let old = pairing.written.entity(entity), let new = whole.entity(entity)
    else { return }
    change("parent", "parent", of: entity, entry, (old.parent, new.parent))
    change("table", "table", of: entity, entry, (old.table, new.table))
    change("renamedFrom", "name in stores", of: entity, entry, (old.renamedFrom, new.renamedFrom))
    if new.primaryKey.isEmpty { editor.remove("primaryKey", from: entry.value) }
    if old.isAbstract != new.isAbstract {
      report(.changed, .entity(entity), new.isAbstract ? "abstract" : "not abstract")
      editor.set("abstract", to: String(new.isAbstract), inValueOf: entry)
    }
    if let value = new.discriminator?.value, value != old.discriminator?.value {
      report(.changed, .entity(entity), "the discriminator is '\(value)'")
      let column = new.discriminator?.column.map { "column: \(YAMLScalar.text($0)), " } ?? ""
      editor.set("discriminator", to: "{\(column)value: \(YAMLScalar.text(value))}", inValueOf: entry)
    }
  }

  private mutating func change(
    _ key: String, _ words: String, of entity: String, _ entry: SyntaxNode.Entry,
    _ values: (old: String?, new: String?)
  ) {
    guard values.old != values.new else { return }
    let detail = values.new.map { "the \(words) is '\($0)'" } ?? "no \(words)"
    report(.changed, .entity(entity), detail + (values.old.map { ", was '\($0)'" } ?? ""))
    if let value = values.new {
      editor.set(key, to: YAMLScalar.text(value), inValueOf: entry)
    } else {
      editor.remove(key, from: entry.value)
    }
  }

  // MARK: Attributes

  mutating func change(_ old: AttributeDescription, to new: AttributeDescription) {
    guard !old.isTransient, let entry = entry(["entities", old.entity, "attributes", old.name]) else {
      return
    }
    let isOther = old.type != new.type && !(draft.shape != nil && storage(of: old).isAlike(storage(of: new)))
    let type = isOther ? new.type : old.type
    guard isOther || old.isOptional != new.isOptional else { return }
    var changed = old
    (changed.type, changed.isOptional) = (type, new.isOptional)
    report(.changed, .attribute(old), "\(changed.typeText), was \(old.typeText)")
    write(type: changed, entry)
    if isOther { writeWhatDependsOnType(old, new: new, map: entry.value) }
  }

  private mutating func write(type: AttributeDescription, _ entry: SyntaxNode.Entry) {
    guard let map = entry.value.entries else {
      // `?` cannot be in flow style without quotes.
      let isPlain = editor.isBare(entry.value) && !editor.isInFlow(behind: entry.value)
      return editor.replace(entry.value, with: isPlain ? type.typeText : "\"\(type.typeText)\"")
    }
    guard let node = map.first(where: { $0.key == "type" })?.value else { return }
    let isShort = node.scalar?.hasSuffix("?") == true
    if node.scalar != type.type.rawValue { editor.replace(node, with: type.type.rawValue) }
    let optional = map.first { $0.key == "optional" }?.value.scalar
    let isSaid = optional != nil || type.isOptional || isShort
    if isSaid, optional != String(type.isOptional), type.isOptional || optional != nil {
      editor.set("optional", to: String(type.isOptional), in: entry.value)
    }
  }

  private mutating func writeWhatDependsOnType(
    _ old: AttributeDescription, new: AttributeDescription, map: SyntaxNode
  ) {
    if let value = old.defaultValue, new.type.value(from: value.description) == nil {
      editor.remove("default", from: map)
      report(
        .changed, .attribute(old),
        "the default '\(value.description.shortened)' is not a \(new.type.rawValue)")
    }
    if old.storage != nil { editor.remove("storage", from: map) }
    let column = pairing.newMapping[new.entity].attributes[new.name]
    let store = pairing.old.store
    if new.type == .date, let dates = column?.dates, dates != store.dates, map.entries != nil {
      editor.set("storage", to: dates.rawValue, in: map)
    }
    if new.type == .uuid, let uuids = column?.uuids, uuids != store.uuids, map.entries != nil {
      editor.set("storage", to: uuids.rawValue, in: map)
    }
  }

  private func storage(of attribute: AttributeDescription) -> StoredForm {
    let isOld = pairing.old.attribute(attribute.name, of: attribute.entity) == attribute
    let mapping = SchemaMapping(isOld ? pairing.old : pairing.new)[attribute.entity]
    return StoredForm(attribute.type, column: mapping.attributes[attribute.name])
  }

  // MARK: Relationships

  mutating func change(_ old: RelationshipDescription, to new: RelationshipDescription) {
    guard let map = entry(["entities", old.entity, "relationships", old.name])?.value else { return }
    let path = ModelPath.relationship(old)
    if let key = pairing.newMapping[new.entity].foreignKey(new.name) {
      if pairing.leadsElsewhere(old, relationship: new) { redirect(old, new: new, map: map) }
      changeColumns(of: old, to: key, map: map)
      if old.isOptional != new.isOptional {
        report(.changed, path, new.isOptional ? "optional" : "required")
        editor.set("optional", to: String(new.isOptional), in: map)
      }
    } else if old.isToMany, !new.isToMany {
      if old.isOrdered || old.minCount != nil || old.maxCount != nil {
        return report(.kept, path, "it is to-one in the source")
      }
      report(.changed, path, "to-one, was to-many")
      editor.set("toMany", to: "false", in: map)
      if new.isOptional { editor.set("optional", to: "true", in: map) }
    }
    if pairing.versions != nil, new.isToMany { changeToMany(old, to: new, map: map) }
  }

  /// What a model declares of a to-many relationship and a database does not.
  private mutating func changeToMany(
    _ old: RelationshipDescription, to new: RelationshipDescription, map: SyntaxNode
  ) {
    if !old.isToMany {
      report(.changed, .relationship(old), "to-many, was to-one")
      editor.set("toMany", to: "true", in: map)
      editor.remove("optional", from: map)
    }
    if old.isOrdered != new.isOrdered {
      report(.changed, .relationship(old), new.isOrdered ? "ordered" : "not ordered")
      editor.set("ordered", to: String(new.isOrdered), in: map)
    }
  }

  /// Writes other columns of a foreign key, or what else they reference. Only a database knows them.
  private mutating func changeColumns(
    of old: RelationshipDescription, to key: ForeignKeyMapping, map: SyntaxNode
  ) {
    guard draft.shape != nil, let known = mapping[old.entity].foreignKey(old.name), known.links != key.links
    else { return }
    let columns = key.written(besides: mapping.entities[known.destination]?.keyColumns)
    let names = zip(key.columns, key.references).map { "\($0) references \($1)" }
    report(.changed, .relationship(old), names.joined(separator: ", "))
    editor.set("column", to: FormNode.list(columns.map(\.form)).flow, in: map)
  }

  private mutating func redirect(
    _ old: RelationshipDescription, new: RelationshipDescription, map: SyntaxNode
  ) {
    let redirected = addition.redirected(old, to: new)
    report(.changed, .relationship(old), "\(redirected.destination), was \(old.destination)")
    editor.set("destination", to: YAMLScalar.text(redirected.destination), in: map)
    if let inverse = redirected.inverse {
      editor.set("inverse", to: YAMLScalar.text(inverse), in: map)
    } else if old.inverse != nil {
      editor.remove("inverse", from: map)
    }
  }
}

extension ForeignKeyMapping {
  /// Each column with the one that it references, as SQL compares their names.
  fileprivate var links: Set<[String]> {
    Set(zip(columns, references).map { [$0.sqlName, $1.sqlName] })
  }
}

/// In which of SQLite's kinds of values an attribute can be.
private struct StoredForm {
  private enum Kind { case text, integer, real, blob }
  private let kinds: Set<Kind>

  init(_ type: AttributeType, column: AttributeColumn?) {
    kinds =
      switch type {
      case .string, .uri: [.text]
      case .boolean, .integer16, .integer32, .integer64: [.integer]
      case .double, .float: [.real]
      case .decimal: [.text, .integer, .real]
      case .binary: [.blob]
      case .transformable: [.blob, .text]
      case .uuid: column?.uuids == .blob ? [.blob] : [.text]
      case .date:
        switch column?.dates {
        case .unix, .unixMilliseconds, .referenceDate: [.integer, .real]
        default: [.text]
        }
      }
  }

  func isAlike(_ other: Self) -> Bool { !kinds.isDisjoint(with: other.kinds) }
}
