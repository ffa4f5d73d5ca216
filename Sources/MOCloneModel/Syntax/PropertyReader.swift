/// Reads the attributes and relationships of one entity.
struct PropertyReader {
  let context: ReadingContext
  let entity: String

  // MARK: Attributes

  /// An attribute in its long form, or in its short one: `String`, `Binary?`.
  func attribute(_ entry: SyntaxNode.Entry) -> AttributeDescription? {
    guard !entry.isFree else { return nil }
    lazy var path = ModelPath.entity(entity) / "attributes" / entry.key
    context.note(path, entry.keyRange)
    if let text = entry.value.scalar, !entry.value.isNull {
      let type = type(text, at: path, range: entry.value.range)
      context.note(path / "type", entry.value.range)
      return AttributeDescription(name: entry.key, type: type.type, isOptional: type.isOptional)
    }
    guard let entries = entry.value.entries else {
      context.refuse(entry, expected: "a type or a map", at: path)
      return AttributeDescription(name: entry.key, type: .string)
    }
    return attribute(
      entry.key,
      MapReader(
        entries, place: "the attribute '\(entity).\(entry.key)'", at: path, format: .attribute,
        context: context))
  }

  private func attribute(_ name: String, _ reader: MapReader) -> AttributeDescription {
    var type = (type: AttributeType.string, isOptional: false)
    if let text = reader.required("type") {
      type = self.type(text, at: reader.path, range: reader.node("type")!.range)
    }
    return AttributeDescription(
      name: name, type: type.type, isOptional: reader.boolean("optional") ?? type.isOptional,
      defaultValue: defaultValue(reader, name: name, type: type.type),
      isTransient: reader.boolean("transient") ?? false,
      derivation: derivation(reader), minimum: reader.number("min"),
      maximum: reader.number("max"),
      pattern: pattern(reader), renamedFrom: reader.string("renamedFrom"), userInfo: userInfo(reader),
      column: reader.string("column"), storage: storage(reader, type: type.type),
      extensions: reader.extensions)
  }

  private func type(
    _ text: String, at path: @autoclosure () -> ModelPath, range: SourceRange
  ) -> (type: AttributeType, isOptional: Bool) {
    let isOptional = text.hasSuffix("?")
    let name = isOptional ? String(text.dropLast()) : text
    if let type = AttributeType(rawValue: name) { return (type, isOptional) }
    let known = AttributeType.words
    let nearest = context.findings.nearest(to: name, in: known)
    let path = path()
    context.damage(
      path,
      diagnostic: .unknownValue(
        text, of: "type", known: known, nearest: nearest, at: path / "type", range: range))
    return (.string, isOptional)
  }

  private func defaultValue(_ reader: MapReader, name: String, type: AttributeType) -> AttributeValue? {
    guard let node = reader.node("default"), !node.isNull else { return nil }
    guard let text = node.scalar else { return reader.refuse("default", expected: "a value", node: node) }
    if let value = type.value(from: text) { return value }
    let path = reader.path / "default"
    context.damage(path, diagnostic: .wrongDefault(text, of: name, type: type, at: path, range: node.range))
    return nil
  }

  /// A Boolean, or what maintains the value.
  private func derivation(_ reader: MapReader) -> Derivation? {
    guard let node = reader.node("derived") else { return nil }
    guard let text = node.scalar, !node.isNull else {
      return reader.refuse("derived", expected: "true, false or trigger", node: node)
    }
    if let isDerived = MapReader.booleans[text] { return isDerived ? .computed : nil }
    return reader.choice("derived", among: ["true", "false", Derivation.trigger.rawValue]) {
      Derivation(rawValue: $0)
    }
  }

  private func pattern(_ reader: MapReader) -> String? {
    guard let pattern = reader.string("pattern"), let node = reader.node("pattern") else { return nil }
    guard pattern.utf8.count > ModelLimits.pattern else { return pattern }
    return reader.refuse("pattern", expected: "at most \(ModelLimits.pattern) bytes long", node: node)
  }

  private func storage(_ reader: MapReader, type: AttributeType) -> ValueStorage? {
    switch type {
    case .date: return reader.choice("storage", DateStorage.self).map(ValueStorage.date)
    case .uuid: return reader.choice("storage", UUIDStorage.self).map(ValueStorage.uuid)
    default:
      guard let node = reader.node("storage") else { return nil }
      context.damage(
        reader.path / "storage",
        diagnostic: Diagnostic(
          .unknownValue, at: reader.path / "storage",
          "'storage' applies to dates and UUIDs only, not to a \(type.rawValue)",
          help: "remove 'storage'", range: node.range))
      return nil
    }
  }

  /// The map of strings, kept word for word.
  func userInfo(_ reader: MapReader) -> [String: String] {
    var userInfo: [String: String] = [:]
    for entry in reader.entries("userInfo") ?? [] {
      lazy var path = reader.path / "userInfo" / entry.key
      context.note(path, entry)
      if let text = entry.value.scalar {
        userInfo[entry.key] = text
      } else {
        context.refuse(entry, expected: "a string", at: path)
      }
    }
    return userInfo
  }

  // MARK: Relationships

  func relationship(_ entry: SyntaxNode.Entry) -> RelationshipDescription? {
    guard !entry.isFree else { return nil }
    let path = ModelPath.entity(entity) / "relationships" / entry.key
    context.note(path, entry.keyRange)
    guard let entries = entry.value.entries else {
      context.refuse(entry, expected: "a map", at: path)
      // It is there, so that nobody misses it.
      context.damage(path)
      return RelationshipDescription(name: entry.key, destination: "")
    }
    let reader = MapReader(
      entries, place: "the relationship '\(entity).\(entry.key)'", at: path, format: .relationship,
      context: context)
    let columns = ColumnReader(context: context)
    if reader.node("deleteRule") != nil { context.noteDeleteRule(path) }
    return RelationshipDescription(
      name: entry.key, destination: reader.required("destination") ?? "",
      isToMany: reader.boolean("toMany") ?? false, isOptional: reader.boolean("optional") ?? false,
      isOrdered: reader.boolean("ordered") ?? false, inverse: reader.string("inverse"),
      deleteRule: reader.choice("deleteRule") ?? .nullify, minCount: reader.integer("minCount"),
      maxCount: reader.integer("maxCount"), userInfo: userInfo(reader),
      columns: columns.foreignKey(reader), orderColumn: reader.string("orderColumn"),
      joinTable: columns.joinTable(reader), extensions: reader.extensions)
  }
}

/// Reads keys, foreign keys and join tables.
struct ColumnReader {
  let context: ReadingContext

  /// A column, a list of columns, or maps of column and `generate`.
  func primaryKey(_ reader: MapReader) -> [KeyColumn] {
    items(reader, key: "primaryKey", format: .keyColumn).map { item in
      switch item {
      case .name(let name): KeyColumn(name)
      case .map(let map): KeyColumn(map.required("column") ?? "", generate: map.choice("generate"))
      }
    }
  }

  /// The same with `references`, which can also stand beside `column`, in step with it.
  func foreignKey(_ reader: MapReader) -> [ForeignKeyColumn] {
    let references = reader.strings("references") ?? []
    let items = items(reader, key: "column", format: .foreignKeyColumn)
    if references.count > items.count, let node = reader.node("references") {
      let path = reader.path / "references"
      context.damage(
        path, diagnostic: .moreReferences(references.count, than: items.count, at: path, range: node.range))
    }
    return items.enumerated().map { i, item in
      let reference = i < references.count ? references[i] : nil
      return switch item {
      case .name(let name): ForeignKeyColumn(name, references: reference)
      case .map(let map):
        ForeignKeyColumn(map.required("column") ?? "", references: map.string("references") ?? reference)
      }
    }
  }

  func joinTable(_ reader: MapReader) -> JoinTableDescription? {
    guard let join = reader.map("joinTable", format: .joinTable) else { return nil }
    return JoinTableDescription(
      table: join.string("table"), columns: join.strings("column") ?? [],
      inverseColumns: join.strings("inverseColumn") ?? [], orderColumn: join.string("orderColumn"))
  }

  private enum Item {
    case name(String)
    case map(MapReader)
  }

  private func items(_ reader: MapReader, key: String, format: FormatMap) -> [Item] {
    guard let node = reader.node(key) else { return [] }
    let nodes = node.items ?? [node]
    if nodes.isEmpty {
      return reader.refuse(key, expected: "a column or a list of columns", node: node) ?? []
    }
    return nodes.compactMap { item in
      if let name = item.scalar, !item.isNull { return .name(name) }
      guard let entries = item.entries else {
        return reader.refuse(key, expected: "a column or a list of columns", node: item)
      }
      return .map(
        MapReader(entries, place: "'\(key)'", at: reader.path / key, format: format, context: context))
    }
  }
}
