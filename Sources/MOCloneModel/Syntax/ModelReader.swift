/// Reads a composed file as a model.
struct ModelReader {
  let context: ReadingContext

  func model(_ root: SyntaxNode) -> ObjectModel? {
    guard let entries = root.entries else {
      context.findings.add(.wrongKind("the model", expected: "a map", found: root, at: .model))
      return nil
    }
    if let other = otherVersion(entries) {
      context.findings.add(other)
      return nil
    }
    let reader = MapReader(
      entries, place: "a model", at: .model, format: .model, context: context)
    context.note(.model, entries.first?.keyRange ?? root.range)
    _ = reader.required("version")
    let entities = (reader.entries("entities") ?? []).compactMap(entity)
    if reader.node("entities") == nil { _ = reader.required("entities") }
    if let finding = ModelLimits.finding(about: entities) {
      context.findings.add(finding)
      return nil
    }
    return ObjectModel(
      unvalidated: reader.string("name") ?? "", userInfoKeys: userInfoKeys(reader), store: store(reader),
      entities: entities, extensions: reader.extensions)
  }

  /// The keys of another version mean something else, so none of them is judged.
  private func otherVersion(_ entries: [SyntaxNode.Entry]) -> Diagnostic? {
    guard let version = entries.first(where: { $0.key == "version" })?.value, !version.isNull,
      let text = version.scalar, text != "1"
    else { return nil }
    return .unsupportedVersion(text, range: version.range)
  }

  private func userInfoKeys(_ reader: MapReader) -> AnnotationKeys {
    guard let keys = reader.map("userInfoKeys", format: .userInfoKeys) else { return .default }
    return AnnotationKeys(
      exclude: keys.string("exclude") ?? "exclude", rebuild: keys.string("rebuild") ?? "rebuild",
      followParent: keys.string("followParent") ?? "followParent",
      withoutParent: keys.string("withoutParent") ?? "withoutParent")
  }

  private func store(_ reader: MapReader) -> StoreOptions {
    guard let store = reader.map("store", format: .store) else { return StoreOptions() }
    return StoreOptions(
      naming: store.choice("naming") ?? .snakeCase, primaryKey: store.string("primaryKey"),
      dates: store.choice("dates"), uuids: store.choice("uuids"), unmapped: store.choice("unmapped") ?? .copy,
      schema: store.string("schema"))
  }

  // MARK: Entities

  private func entity(_ entry: SyntaxNode.Entry) -> EntityDescription? {
    guard !entry.isFree else { return nil }
    let path = ModelPath.entity(entry.key)
    context.note(path, entry.keyRange)
    guard let entries = entry.value.isNull ? [] : entry.value.entries else {
      context.refuse(entry, expected: "a map", at: path)
      return EntityDescription(name: entry.key)
    }
    let reader = MapReader(
      entries, place: "the entity '\(entry.key)'", at: path, format: .entity, context: context)
    let properties = PropertyReader(context: context, entity: entry.key)
    let columns = ColumnReader(context: context)
    return EntityDescription(
      name: entry.key, parent: reader.string("parent"), isAbstract: reader.boolean("abstract") ?? false,
      attributes: (reader.entries("attributes") ?? []).compactMap(properties.attribute),
      relationships: (reader.entries("relationships") ?? []).compactMap(properties.relationship),
      uniquenessConstraints: constraints(reader), configurations: reader.strings("configurations") ?? [],
      renamedFrom: reader.string("renamedFrom"), userInfo: properties.userInfo(reader),
      table: reader.string("table"), primaryKey: columns.primaryKey(reader),
      discriminator: discriminator(reader), extensions: reader.extensions)
  }

  /// A list of lists of names; a name alone is a list of one.
  private func constraints(_ reader: MapReader) -> [[String]] {
    guard let node = reader.node("uniquenessConstraints"), !node.isNull else { return [] }
    guard let items = node.items else {
      return reader.refuse("uniquenessConstraints", expected: "a list of lists of names", node: node) ?? []
    }
    let path = reader.path / "uniquenessConstraints"
    for name in items.flatMap({ $0.items ?? [$0] }) where !name.isNull {
      if let text = name.scalar { context.note(path / text, name.range) }
    }
    return items.compactMap { item in
      if let name = item.scalar, !item.isNull { return [name] }
      if item.items?.isEmpty == true {
        context.damage(path, diagnostic: .emptyConstraint(at: path, range: item.range))
        return nil
      }
      let names = item.items?.compactMap { $0.isNull ? nil : $0.scalar }
      guard let names, names.count == item.items?.count else {
        return reader.refuse("uniquenessConstraints", expected: "a list of lists of names", node: item)
      }
      context.note(path / ModelPath.constraintKey(names), item.range)
      return names
    }
  }

  private func discriminator(_ reader: MapReader) -> DiscriminatorDescription? {
    reader.map("discriminator", format: .discriminator).map {
      DiscriminatorDescription(column: $0.string("column"), value: $0.string("value"))
    }
  }
}
