/// The names that entities and attributes had in older stores.
extension ModelChecks {
  /// A name that something else has says nothing: the data of which of the two is meant?
  func formerNamesAreFree() -> [Diagnostic] {
    let ofEntities = findings(
      entities.map { FormerName(name: $0.name, former: $0.renamedFrom, path: .entity($0.name)) },
      in: "the model")
    return ofEntities
      + entities.flatMap { entity -> [Diagnostic] in
        guard entity.attributes.contains(where: { $0.renamedFrom != nil }) else { return [] }
        let attributes = sound.attributes(of: entity.name).map {
          FormerName(name: $0.name, former: $0.renamedFrom, path: .attribute($0))
        }
        let relationships = sound.relationships(of: entity.name).map {
          FormerName(name: $0.name, path: .relationship($0))
        }
        // What is inherited is looked at where it is declared.
        return findings(attributes + relationships, in: "'\(entity.name)'").filter {
          $0.path.components[1] == entity.name
        }
      }
  }

  private func findings(_ all: [FormerName], in place: String) -> [Diagnostic] {
    let named = Dictionary(all.map { ($0.name, $0) }) { first, _ in first }
    var claimed: [String: FormerName] = [:]
    return all.compactMap { this in
      guard let former = this.former else { return nil }
      if former == this.name { return .formerName(this, reason: "which is its name now", other: nil) }
      // What has another former name itself took this one later, as where two swap their names.
      if let other = named[former], [nil, other.name].contains(other.former) {
        return .formerName(this, reason: "but \(place) still has something of that name", other: other)
      }
      if let other = claimed.updateValue(this, forKey: former) {
        return .formerName(this, reason: "as '\(other.name)' says of itself", other: other)
      }
      return nil
    }
  }
}

/// What has a name, and had another one.
private struct FormerName {
  var name: String
  var former: String?
  var path: ModelPath
}

extension Diagnostic {
  fileprivate static func formerName(_ this: FormerName, reason: String, other: FormerName?) -> Diagnostic {
    let key = this.path / "renamedFrom"
    return Diagnostic(
      .formerName, at: key,
      "'\(this.path.name)' says that it was called '\(this.former ?? "")', \(reason)",
      notes: other.map { [Note("the other one", at: $0.path)] } ?? [],
      help: ModelEdit.remove(key).sentence + ", or write the name that older stores have for it",
      edits: [.remove(key)])
  }
}
