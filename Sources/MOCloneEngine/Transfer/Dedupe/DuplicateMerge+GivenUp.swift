import MOCloneModel

// What the report says of values that a merge gives up.
extension DuplicateMerge {
  /// What an object that goes held before.
  struct Given {
    var object: ObjectID
    var pair: Pair
    /// By name and column.
    var values: [(name: String, column: Int, value: AttributeValue)]
    /// What it referred to, once that is merged, by name and reference.
    var targets: [(name: String, reference: Int, target: MemoryObject)]
    /// The one-to-one objects that stay and referred to it, by reference, with their keys.
    var members: [(reference: Int, member: MemoryObject, key: String)]
  }

  /// Notes what goes, before anything is moved.
  func given(_ table: Int) -> [Given] {
    let holders = store.references.enumerated().filter {
      $1.ownerTable == table && $1.isOneToOne && leadsToMember($1.backward)
    }
    return map.pairs(in: table).sorted { $0.loser.row < $1.loser.row }.map { pair in
      let targets = store.references.enumerated().compactMap {
        number, reference -> (String, Int, MemoryObject)? in
        guard reference.memberTable == table, let target = owner(of: pair.loser, reference) else {
          return nil
        }
        return (name(of: reference), number, map.settled(target))
      }
      let members = holders.flatMap { number, reference in
        let rows = reference.list.elements(of: pair.loser.row)
        let members = rows.map { MemoryObject(table: reference.memberTable, row: $0) }
        return members.filter { !map.isLoser($0) }.map {
          (reference: number, member: $0, key: graph.objectID($0).key.description)
        }
      }
      return Given(
        object: graph.objectID(pair.loser), pair: pair, values: values(of: pair.loser), targets: targets,
        members: members)
    }
  }

  /// What an object holds that another one can take over. The operation sets dates of change itself.
  func values(of loser: MemoryObject) -> [(name: String, column: Int, value: AttributeValue)] {
    let entity = graph.entity(of: loser)
    let date = modified.attribute(of: entity.name, in: graph.model)?.name
    return entity.columns.compactMap { name, number -> (name: String, column: Int, value: AttributeValue)? in
      let cells = store.spaces[loser.table].valueColumns[number]
      guard graph.mapping[entity.name].attributes[name]?.keyPart == nil, !cells.attribute.isDerived,
        name != date, !cells.nulls[loser.row]
      else { return nil }
      return (name, number, cells.value(loser.row))
    }
  }

  private func name(of reference: Reference) -> String {
    store.layout.relations[(reference.forward ?? reference.backward)!].description.name
  }

  private func backwardName(of reference: Reference) -> String {
    store.layout.relations[reference.backward!].description.name
  }

  /// Names those whose values what they became does not hold.
  mutating func list(_ given: [Given]) {
    var listed = 0
    for one in given {
      let survivor = one.pair.survivor
      let values = one.values.filter {
        store.spaces[survivor.table].valueColumns[$0.column].value(survivor.row) != $0.value
      }
      // A reference to one's own double is none to keep.
      let targets = one.targets.filter {
        $0.target != survivor && owner(of: survivor, store.references[$0.reference]) != $0.target
      }
      let members = one.members.filter { owner(of: $0.member, store.references[$0.reference]) != survivor }
      if values.isEmpty && targets.isEmpty && members.isEmpty { continue }
      listed += 1
      if listed > TransferReport.listedDifferences {
        report.unlisted = (report.unlisted ?? 0) + 1
      } else {
        var givenUp = values.map { ($0.name, $0.value.description) }
        givenUp += targets.map { ($0.name, graph.objectID($0.target).key.description) }
        givenUp += members.map { (backwardName(of: store.references[$0.reference]), $0.key) }
        report.skip(TransferReport.givenUp(givenUp, of: one.object, for: graph.objectID(survivor)))
      }
    }
  }
}
