import MOCloneModel

// Nulls of what stays take the values of what goes, the best one's first.
extension DuplicateMerge {
  /// What an object takes over: values by column, destinations by reference.
  struct Fill {
    var values: [Int: AttributeValue] = [:]
    var targets: [Int: MemoryObject] = [:]
    var isEmpty: Bool { values.isEmpty && targets.isEmpty }
  }

  /// Gathers what can be filled, before anything is deleted.
  func collectFills(_ pairs: [Pair]) -> [MemoryObject: Fill] {
    var fills: [MemoryObject: Fill] = [:]
    for pair in pairs {
      collectValues(pair, &fills[pair.survivor, default: Fill()])
      collectTargets(pair, &fills[pair.survivor, default: Fill()])
    }
    return fills.filter { !$0.value.isEmpty }
  }

  private func collectValues(_ pair: Pair, _ fill: inout Fill) {
    let entity = graph.entity(of: pair.loser)
    let date = modified.attribute(of: entity.name, in: graph.model)?.name
    for (name, number) in entity.columns {
      let cells = store.spaces[pair.loser.table].valueColumns[number]
      // The operation sets dates of change itself.
      guard graph.mapping[entity.name].attributes[name]?.keyPart == nil, !cells.attribute.isDerived,
        name != date, cells.nulls[pair.survivor.row], !cells.nulls[pair.loser.row],
        fill.values[number] == nil
      else { continue }
      fill.values[number] = cells.value(pair.loser.row)
    }
  }

  private func collectTargets(_ pair: Pair, _ fill: inout Fill) {
    for (number, reference) in store.references.enumerated()
    where reference.memberTable == pair.loser.table && fill.targets[number] == nil {
      let target = reference.list.owner[pair.loser.row]
      guard target != noRow, reference.list.owner[pair.survivor.row] == noRow else { continue }
      let settled = map.settled(MemoryObject(table: reference.ownerTable, row: target))
      if settled != pair.survivor { fill.targets[number] = settled }
    }
  }

  /// Writes what was gathered, after the deletion.
  mutating func write(_ fills: [MemoryObject: Fill]) throws {
    for (object, fill) in fills.sorted(by: { $0.key.row < $1.key.row }) {
      for (number, value) in fill.values {
        try graph.setCell(store.spaces[object.table].valueColumns[number], object.row, value)
      }
      for (number, target) in fill.targets {
        let reference = store.references[number]
        guard !reference.isOneToOne || reference.list.first[target.row] == noRow else { continue }
        try graph.setTarget(of: object.row, to: target.row, reference)
      }
      try ranking.touch(object)
      report.add(1, graph.entity(of: object).name, to: \.updated)
    }
  }
}
