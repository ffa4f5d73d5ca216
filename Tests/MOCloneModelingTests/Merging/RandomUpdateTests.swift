import Foundation
import MOCloneKit
import MOCloneModeling
import MOCloneTesting
import Testing

@Suite("Random edits of an imported model")
struct RandomUpdateTests {
  @Test(arguments: 0..<150)
  func editsOfPeopleStayAndAnUnchangedSourceChangesNothing(seed: Int) throws {
    let edited = try EditedModel(seed: UInt64(seed))
    let update = try ModelUpdate(of: edited.file, from: edited.source)
    #expect(update.changes == [], "\(edited.file.text)")
    #expect(String(decoding: update.data, as: UTF8.self) == edited.file.text)
  }

  @Test(arguments: 0..<150)
  func aChangedSourceComesInAndEveryLineOfPeopleStays(seed: Int) throws {
    var edited = try EditedModel(seed: UInt64(seed))
    let count = edited.changeSource()
    let update = try ModelUpdate(of: edited.file, from: edited.source)
    let text = String(decoding: update.data, as: UTF8.self)
    let parsed = ModelParser.parse(SourceFile(path: "model.yml", text: text))
    let errors = parsed.diagnostics.filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(errors.map(\.message))\n\(edited.file.text)\n---\n\(text)")
    #expect(update.changes.count >= count, "\(update.changes)")
    let again = try ModelUpdate(of: SourceFile(path: "model.yml", text: text), from: edited.source)
    #expect(again.isUnchanged, "\(again.changes)\n\(text)")
    try expectLines(of: edited.file.text, in: text)
  }

  /// Every line of a text in another one in its order, as it was or as a comment; lists of constraints may lose some.
  private func expectLines(of old: String, in new: String) throws {
    var rest = new.split(whereSeparator: \.isNewline)[...]
    for line in old.split(whereSeparator: \.isNewline) where !line.contains("uniquenessConstraints") {
      let place = rest.firstIndex {
        $0 == line || $0.filter { $0 != "#" && $0 != " " } == line.filter { $0 != "#" && $0 != " " }
      }
      let found = try #require(place, "lost: \(line)\n\(new)")
      rest = rest[(found + 1)...]
    }
  }
}

/// A source, and a model file that people made of it: other names and order, annotations, comments.
private struct EditedModel {
  var source: ModelDraft
  let file: SourceFile
  private var random: SplitMix64
  private var names: [String: String] = [:]

  init(seed: UInt64) throws {
    random = SplitMix64(seed: seed)
    let model = try DifferentialCase(seed: seed).model
    source = ModelDraft(name: model.name, store: model.store, entities: model.entities)
    source.shape = SourceShape()
    for i in source.entities.indices {
      for j in source.entities[i].attributes.indices { source.entities[i].attributes[j].userInfo = [:] }
      for j in source.entities[i].relationships.indices { source.entities[i].relationships[j].userInfo = [:] }
    }
    var edited = ModelDraft(model)
    edited.entities = Self.renamed(Self.spelledOut(model), &random)
    edited.entities.shuffle(using: &random)
    // Indented by two or four, with the line ends of either world.
    let (isDeep, lineEnd) = (Bool.random(using: &random), Bool.random(using: &random) ? "\n" : "\r\n")
    var lines: [String] = []
    for line in edited.yaml.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
      if Int.random(in: 0..<6, using: &random) == 0 {
        lines.append(line.prefix { $0 == " " } + "# a comment")
      }
      let isEntry = line.hasPrefix("      ") && Int.random(in: 0..<6, using: &random) == 0
      lines.append(isEntry ? line + "  # why" : line)
    }
    if isDeep { lines = lines.map { $0.prefix { $0 == " " } + $0 } }
    file = SourceFile(path: "model.yml", text: lines.joined(separator: lineEnd))
  }

  /// With every table and column named, as people have to who rename things.
  private static func spelledOut(_ model: ObjectModel) -> [EntityDescription] {
    let mapping = SchemaMapping(model)
    return model.entities.map { entity in
      var entity = entity
      let home = mapping[entity.name]
      if entity.parent == nil { entity.table = home.table }
      if let discriminator = home.discriminator {
        entity.discriminator = DiscriminatorDescription(
          column: entity.parent == nil ? discriminator.column : nil, value: discriminator.value)
      }
      for i in entity.relationships.indices { entity.relationships[i].spellOut(home, mapping, model) }
      return entity
    }
  }

  private static func renamed(_ entities: [EntityDescription], _ random: inout SplitMix64)
    -> [EntityDescription]
  {
    let isRenamed = Set(entities.map(\.name).filter { _ in Bool.random(using: &random) })
    func name(_ name: String) -> String { isRenamed.contains(name) ? name + "New" : name }
    let suffix = Bool.random(using: &random) ? "Renamed" : ""
    return entities.map { entity in
      var entity = entity
      entity.name = name(entity.name)
      entity.parent = entity.parent.map(name)
      let relationships = Set(entity.relationships.map(\.name))
      entity.uniquenessConstraints = entity.uniquenessConstraints.map {
        $0.map { relationships.contains($0) ? $0 + suffix : $0 }
      }
      for i in entity.relationships.indices {
        entity.relationships[i].name += suffix
        entity.relationships[i].destination = name(entity.relationships[i].destination)
        entity.relationships[i].inverse = entity.relationships[i].inverse.map { $0 + suffix }
      }
      for i in entity.attributes.indices {
        guard let followed = entity.attributes[i].userInfo["followParent"]?.split(separator: "."),
          followed.count == 2
        else { continue }
        entity.attributes[i].userInfo["followParent"] = name(String(followed[0])) + "." + followed[1]
      }
      return entity
    }
  }

  /// Adds columns and a table, and takes out a column that nothing speaks of.
  ///
  /// - Returns: how many changes a report has at least.
  mutating func changeSource() -> Int {
    let roots = source.entities.indices.filter { source.entities[$0].parent == nil }
    let root = roots.randomElement(using: &random)!
    source.entities[root].attributes.append(
      AttributeDescription(name: "addedColumn", type: .decimal, isOptional: true))
    let other = roots.randomElement(using: &random)!
    source.entities[other].relationships.append(
      RelationshipDescription(
        name: "addedRows", destination: "AddedTable", isToMany: true, inverse: "addedOwner"))
    source.entities.append(
      EntityDescription(
        name: "AddedTable", attributes: [AttributeDescription(name: "word", type: .string)],
        relationships: [
          RelationshipDescription(
            name: "addedOwner", destination: source.entities[other].name, isOptional: true,
            inverse: "addedRows")
        ], primaryKey: [KeyColumn("id", generate: .rowid)]))
    return 3 + (takeOutAnAttribute() ? 1 : 0)
  }

  private mutating func takeOutAnAttribute() -> Bool {
    let mapping = SchemaMapping(source.unvalidated)
    let named = Set(source.entities.flatMap(\.uniquenessConstraints).joined())
    let candidates = source.entities.flatMap { entity in
      entity.attributes.filter { attribute in
        let column = mapping[entity.name].attributes[attribute.name]
        let sharers = mapping.entities.values.flatMap { home in
          home.attributes.values.map { (home.table, $0.column) }
        }
        .count { $0 == (mapping[entity.name].table, column?.column ?? "") }
        return column?.keyPart == nil && sharers == 1 && !named.contains(attribute.name)
          && !file.text.contains(": \(attribute.name)") && !file.text.contains(".\(attribute.name)")
          && attribute.name != "addedColumn" && entity.name != "AddedTable"
      }.map { (entity.name, $0.name) }
    }
    guard let (entity, name) = candidates.randomElement(using: &random) else { return false }
    let i = source.entities.firstIndex { $0.name == entity }!
    source.entities[i].attributes.removeAll { $0.name == name }
    return true
  }
}

extension RelationshipDescription {
  fileprivate mutating func spellOut(_ home: EntityMapping, _ mapping: SchemaMapping, _ model: ObjectModel) {
    switch home.relationships[name] {
    case .foreignKey(let key):
      columns = zip(key.columns, key.references).map { ForeignKeyColumn($0, references: $1) }
    case .inverseForeignKey(let key):
      if isOrdered { orderColumn = key.orderColumn }
      guard inverse == nil else { return }
      columns = zip(key.columns, key.references).map { ForeignKeyColumn($0, references: $1) }
    case .join(let join):
      if isOrdered { orderColumn = join.orderColumn }
      let isFirst = model.inverse(of: self).map { qualifiedName < $0.qualifiedName } ?? true
      joinTable =
        isFirst
        ? JoinTableDescription(
          table: join.table, columns: join.columns, inverseColumns: join.destinationColumns,
          orderColumn: isOrdered ? join.orderColumn : nil) : nil
    case nil: break
    }
  }
}
