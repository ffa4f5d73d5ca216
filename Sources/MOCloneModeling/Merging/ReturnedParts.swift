import MOCloneModel
import MOCloneYAML

/// The comments that parts of a model became when the source had them no more, where it has them again: they become parts
/// again as they were written.
struct ReturnedParts {
  private let file: SourceFile
  private let addition: Addition
  private let comments: RemovalComments
  /// The mapping of the model with what would come in anew.
  private let mapping: SchemaMapping
  private let oldMapping: SchemaMapping
  /// Those in whose place something would come in anew, each with that.
  private(set) var replaced: [(comment: RemovalComment, by: ModelPath)] = []
  /// Those with annotations in whose place the model has something already, each with that.
  private(set) var superseded: [(comment: RemovalComment, by: ModelPath)] = []
  private var old: ObjectModel { addition.pairing.old }

  init(_ file: SourceFile, root: SyntaxNode, addition: Addition) {
    (self.file, self.addition) = (file, addition)
    comments = RemovalComments(file, root: root)
    (mapping, oldMapping) = (SchemaMapping(addition.whole), SchemaMapping(addition.pairing.old))
    let (added, kept) = (self.added, self.kept)
    for comment in comments.all {
      if let part = part(of: added, insteadOf: comment) {
        replaced.append((comment: comment, by: part))
      } else if comment.hasAnnotations,
        let part = part(of: kept, insteadOf: comment) ?? home(in: kept, ofReturned: comment)
      {
        superseded.append((comment: comment, by: part))
      }
    }
  }

  // MARK: What takes their places

  /// What would come in anew.
  private var added: Parts {
    Parts(
      entities: addition.entities.map(\.name),
      attributes: addition.attributes.mapValues { $0.map(\.name) },
      relationships: addition.relationships, mapping: mapping)
  }

  /// What the model has and keeps.
  private var kept: Parts {
    var parts = Parts(mapping: oldMapping)
    let gone = addition.pairing.gone
    let removedEntities = Set(gone.entities.map(\.name))
    for entity in old.entities where !removedEntities.contains(entity.name) {
      parts.entities.append(entity.name)
      parts.attributes[entity.name] =
        entity.attributes.filter { !gone.contains(PropertyName($0)) }.map(\.name)
      parts.relationships[entity.name] = entity.relationships.filter { !gone.contains(PropertyName($0)) }
    }
    return parts
  }

  /// Parts of a model, properties by their entities.
  private struct Parts {
    var entities: [String] = []
    var attributes: [String: [String]] = [:]
    var relationships: [String: [RelationshipDescription]] = [:]
    let mapping: SchemaMapping

    func table(of entity: String) -> String? { mapping.entities[entity]?.table.sqlName }

    func column(of attribute: String, in entity: String) -> String? {
      mapping.entities[entity]?.attributes[attribute]?.column.sqlName
    }

    func columns(of relationship: String, in entity: String) -> [String] {
      switch mapping.entities[entity]?.relationships[relationship] {
      case .foreignKey(let key), .inverseForeignKey(let key): key.columns.map(\.sqlName)
      case .join(let join): (join.columns + join.destinationColumns).map(\.sqlName)
      case nil: []
      }
    }

    func leads(_ relationship: RelationshipDescription, of entity: String, over table: String) -> Bool {
      if case .join(let join) = mapping.entities[entity]?.relationships[relationship.name],
        join.table.sqlName == table
      {
        return true
      }
      return self.table(of: relationship.destination) == table
    }
  }

  /// The part that has the table, the column or the name of a comment; of several relationships the one of its name.
  private func part(of parts: Parts, insteadOf comment: RemovalComment) -> ModelPath? {
    let (table, column) = (comment.lost?.table?.sqlName, comment.lost?.column?.sqlName)
    guard let entity = comment.entity else {
      return parts.entities.first {
        $0 == comment.lost?.entity || table != nil && parts.table(of: $0) == table
      }.map(ModelPath.entity)
    }
    let home = oldMapping.entities[entity]?.table
    for owner in old.entities.map(\.name) where oldMapping.entities[owner]?.table == home {
      let names = (parts.attributes[owner] ?? []).filter { name in
        if let column { return table == nil && parts.column(of: name, in: owner) == column }
        return table == nil && owner == entity && comment.name == name
      }
      if let name = names.first { return ModelPath.entity(owner) / "attributes" / name }
      let relationships = (parts.relationships[owner] ?? []).filter { relationship in
        if let column { return parts.columns(of: relationship.name, in: owner).contains(column) }
        guard let table else { return owner == entity && comment.name == relationship.name }
        return parts.leads(relationship, of: owner, over: table)
      }
      if let found = relationships.first(where: { $0.name == comment.name }) ?? relationships.first {
        return ModelPath.entity(owner) / "relationships" / found.name
      }
    }
    return nil
  }

  /// What has the table of a comment that the source has again, but that the model has in another form: an entity for
  /// what was a join table, or the other way round.
  private func home(in parts: Parts, ofReturned comment: RemovalComment) -> ModelPath? {
    let ownTable = comment.entity.flatMap { oldMapping.entities[$0]?.table }
    guard let lost = comment.lost, lost.isBack(in: addition.pairing.shape, home: ownTable),
      let table = (lost.table ?? ownTable)?.sqlName,
      !isKept(comment)
    else { return nil }
    if let entity = parts.entities.first(where: { parts.table(of: $0) == table }) { return .entity(entity) }
    for entity in parts.entities {
      if let relationship = parts.relationships[entity]?.first(where: {
        parts.leads($0, of: entity, over: table)
      }) {
        return ModelPath.relationship(relationship)
      }
    }
    return nil
  }

  /// Whether the model has a property where a comment says that it had one.
  private func isKept(_ comment: RemovalComment) -> Bool {
    guard let entity = comment.entity else { return false }
    return old.attribute(comment.name, of: entity) != nil
      || old.relationship(comment.name, of: entity) != nil
  }

  // MARK: What comes back

  struct Restored {
    var file: SourceFile
    /// What the source has again.
    var parts: [ModelPath]
    /// What the others need for the file to be a model, although the source does not have it: it becomes a comment again.
    var passing: [ModelPath]
  }

  /// The file with all that can come back as it was.
  ///
  /// - Returns: nil where nothing can.
  func restored() -> Restored? {
    let wanted = Set(replaced.map(\.comment.names))
    guard !wanted.isEmpty else { return nil }
    // The database need not know of the other side of a relationship, nor of an entity that shares its table.
    let reasons = Set(replaced.map(\.comment.reason))
    let groups = comments.groups.filter { group in
      group.contains {
        wanted.contains($0.names) || reasons.contains($0.reason) && ($0.entity == nil || $0.isRelationship)
      }
    }
    var (chosen, result): ([RemovalComment], Restored?) = ([], nil)
    take(groups[...], into: &chosen, &result)
    return result
  }

  /// Halves what cannot come back as a whole, so that one that cannot costs few attempts.
  private func take(
    _ groups: ArraySlice<[RemovalComment]>, into chosen: inout [RemovalComment], _ result: inout Restored?
  ) {
    guard !groups.isEmpty else { return }
    if let more = restored(chosen + groups.joined()) {
      chosen += groups.joined()
      result = more
    } else if groups.count > 1 {
      let middle = groups.startIndex + groups.count / 2
      take(groups[..<middle], into: &chosen, &result)
      take(groups[middle...], into: &chosen, &result)
    }
  }

  /// Those that the source has not are left out where the file is a model without them.
  private func restored(_ chosen: [RemovalComment]) -> Restored? {
    guard let all = attempt(chosen), !all.parts.isEmpty else { return nil }
    guard !all.passing.isEmpty else { return all }
    let passing = Set(all.passing.map(RemovalComment.names(in:)))
    return attempt(chosen.filter { !passing.contains($0.names) }) ?? all
  }

  /// Nil where the file were no model with them.
  private func attempt(_ chosen: [RemovalComment]) -> Restored? {
    guard !chosen.isEmpty,
      let fixed = try? FixedFile(file, fixes: comments.fixes(restoring: chosen)),
      let edited = try? SourceFile(path: file.path, data: fixed.data),
      let model = ModelParser.parse(edited).model
    else { return nil }
    let parts = newParts(of: model)
    guard Set(parts.map(RemovalComment.names(in:))) == Set(chosen.map(\.names)) else { return nil }
    let gone = ModelPairing(old: model, new: addition.pairing.new, shape: addition.pairing.shape).gone
    return Restored(
      file: edited, parts: parts.filter { !isRemoved($0, gone) },
      passing: parts.filter { isRemoved($0, gone) })
  }

  private func newParts(of model: ObjectModel) -> [ModelPath] {
    model.entities.flatMap { entity -> [ModelPath] in
      guard let known = old.entity(entity.name) else { return [.entity(entity.name)] }
      let names = Set(known.attributes.map(\.name) + known.relationships.map(\.name))
      return entity.attributes.filter { !names.contains($0.name) }.map(ModelPath.attribute)
        + entity.relationships.filter { !names.contains($0.name) }.map(ModelPath.relationship)
    }
  }

  private func isRemoved(_ part: ModelPath, _ gone: RemovedParts) -> Bool {
    let names = part.components
    guard names.count > 3 else { return gone.entities.contains { $0.name == names[1] } }
    return gone.contains(PropertyName(entity: names[1], name: names[3]))
  }
}
