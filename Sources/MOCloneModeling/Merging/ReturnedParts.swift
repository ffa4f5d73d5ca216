import MOCloneModel
import MOCloneYAML

/// The comments that parts of a model became when the source had them no more, where it has them again: they become parts
/// again as they were written.
struct ReturnedParts {
  private let file: SourceFile
  private let addition: Addition
  private let comments: GoneComments
  /// The mapping of the model with what would come in anew.
  private let mapping: SchemaMapping
  private let oldMapping: SchemaMapping
  /// Those in whose place something would come in anew, each with that.
  private(set) var replaced: [(comment: GoneComment, by: ModelPath)] = []
  private var old: ObjectModel { addition.pairing.old }

  init(_ file: SourceFile, root: SyntaxNode, addition: Addition) {
    (self.file, self.addition) = (file, addition)
    comments = GoneComments(file, root: root)
    (mapping, oldMapping) = (SchemaMapping(addition.whole), SchemaMapping(addition.pairing.old))
    replaced = comments.all.compactMap { comment in
      added(insteadOf: comment).map { (comment: comment, by: $0) }
    }
  }

  // MARK: What would come in anew

  private func added(insteadOf comment: GoneComment) -> ModelPath? {
    let table = comment.quoted(behind: "the table ")?.sqlName
    guard let entity = comment.entity else {
      return addition.entities.first { table != nil && self.table(of: $0.name) == table }
        .map { ModelPath.entity($0.name) }
    }
    let column = comment.quoted(behind: "the column ")?.sqlName
    let home = oldMapping.entities[entity]?.table
    for owner in old.entities.map(\.name) where oldMapping.entities[owner]?.table == home {
      let attributes = (addition.attributes[owner] ?? []).map(\.name)
      let relationships = addition.relationships[owner] ?? []
      if let column {
        if let name = attributes.first(where: { self.column(of: $0, in: owner) == column }) {
          return ModelPath.entity(owner) / "attributes" / name
        }
        if let found = relationships.first(where: { columns(of: $0.name, in: owner).contains(column) }) {
          return ModelPath.entity(owner) / "relationships" / found.name
        }
      } else if let table {
        if let found = relationships.first(where: { leads($0, of: owner, over: table) }) {
          return ModelPath.entity(owner) / "relationships" / found.name
        }
      } else if owner == entity {
        if let name = attributes.first(where: comment.isNamed) {
          return ModelPath.entity(owner) / "attributes" / name
        }
        if let found = relationships.first(where: { comment.isNamed($0.name) }) {
          return ModelPath.entity(owner) / "relationships" / found.name
        }
      }
    }
    return nil
  }

  private func table(of entity: String) -> String? { mapping.entities[entity]?.table.sqlName }

  private func column(of attribute: String, in entity: String) -> String? {
    mapping.entities[entity]?.attributes[attribute]?.column.sqlName
  }

  private func columns(of relationship: String, in entity: String) -> [String] {
    switch mapping.entities[entity]?.relationships[relationship] {
    case .foreignKey(let key), .inverseForeignKey(let key): key.columns.map(\.sqlName)
    case .join(let join): (join.columns + join.destinationColumns).map(\.sqlName)
    case nil: []
    }
  }

  private func leads(_ relationship: RelationshipDescription, of entity: String, over table: String) -> Bool {
    if case .join(let join) = mapping.entities[entity]?.relationships[relationship.name],
      join.table.sqlName == table
    {
      return true
    }
    return self.table(of: relationship.destination) == table
  }

  // MARK: What comes back

  struct Restored {
    var file: SourceFile
    var parts: [ModelPath]
  }

  /// The file with all that can come back as it was.
  ///
  /// - Returns: nil where nothing can.
  func restored() -> Restored? {
    let reasons = Set(replaced.map(\.comment.reason))
    let known = Set(replaced.map(\.comment.lines.lowerBound))
    // The database need not know of the other side of a relationship, nor of an entity that shares its table.
    let others = comments.all.filter {
      !known.contains($0.lines.lowerBound) && reasons.contains($0.reason)
        && ($0.entity == nil || $0.isRelationship)
    }
    let candidates = replaced.map(\.comment) + others
    if let all = restored(candidates) { return all }
    var (chosen, result): ([GoneComment], Restored?) = ([], nil)
    for comment in candidates {
      guard let more = restored(chosen + [comment]) else { continue }
      chosen.append(comment)
      result = more
    }
    return result
  }

  /// Nil where the file were no model with them, or where the source has one of them in another form.
  private func restored(_ chosen: [GoneComment]) -> Restored? {
    guard !chosen.isEmpty,
      let fixed = try? FixedFile(file, fixes: comments.fixes(restoring: chosen)),
      let edited = try? SourceFile(path: file.path, data: fixed.data),
      let model = ModelParser.parse(edited).model
    else { return nil }
    let parts = newParts(of: model)
    let gone = ModelPairing(old: model, new: addition.pairing.new, shape: addition.pairing.shape).gone
    let isWhole = parts.count == chosen.count && !parts.contains { isGone($0, gone) }
    return isWhole ? Restored(file: edited, parts: parts) : nil
  }

  private func newParts(of model: ObjectModel) -> [ModelPath] {
    model.entities.flatMap { entity -> [ModelPath] in
      guard let known = old.entity(entity.name) else { return [.entity(entity.name)] }
      let names = Set(known.attributes.map(\.name) + known.relationships.map(\.name))
      return entity.attributes.filter { !names.contains($0.name) }.map(ModelPath.attribute)
        + entity.relationships.filter { !names.contains($0.name) }.map(ModelPath.relationship)
    }
  }

  private func isGone(_ part: ModelPath, _ gone: GoneParts) -> Bool {
    let names = part.components
    guard names.count > 3 else { return gone.entities.contains { $0.name == names[1] } }
    return gone.contains(PropertyName(entity: names[1], name: names[3]))
  }
}
