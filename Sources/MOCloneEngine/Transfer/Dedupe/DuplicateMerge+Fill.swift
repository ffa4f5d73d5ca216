import MOCloneModel

// Nulls of what stays take the values of what goes, the best one's first.
extension DuplicateMerge {
  /// What an object takes over: values by column, destinations by reference.
  struct Fill {
    var values: [Int: AttributeValue] = [:]
    var targets: [Int: MemoryObject] = [:]
    var isEmpty: Bool { values.isEmpty && targets.isEmpty }
  }

  /// Gathers what can be filled, once everything has moved and before anything is deleted.
  func collectFills(_ pairs: [Pair]) -> [MemoryObject: Fill] {
    var fills: [MemoryObject: Fill] = [:]
    let heirs = store.references.map { self.heirs(of: $0) }
    for pair in pairs {
      collectValues(pair, fill: &fills[pair.survivor, default: Fill()])
      collectTargets(pair, heirs: heirs, fill: &fills[pair.survivor, default: Fill()])
    }
    return fills.filter { !$0.value.isEmpty }
  }

  private func collectValues(_ pair: Pair, fill: inout Fill) {
    let columns = store.spaces[pair.loser.table].valueColumns
    for (_, number, value) in values(of: pair.loser)
    where columns[number].nulls[pair.survivor.row] && fill.values[number] == nil {
      fill.values[number] = value
    }
  }

  /// - Parameter heirs: for each reference what alone can be filled with some owners.
  private func collectTargets(_ pair: Pair, heirs: [[MemoryObject: MemoryObject]], fill: inout Fill) {
    for (number, reference) in store.references.enumerated()
    where reference.memberTable == pair.loser.table && fill.targets[number] == nil {
      guard let target = owner(of: pair.loser, reference), owner(of: pair.survivor, reference) == nil else {
        continue
      }
      let settled = map.settled(target)
      let heir = heirs[number][settled] ?? pair.survivor
      if settled != pair.survivor && heir == pair.survivor { fill.targets[number] = settled }
    }
  }

  /// Of the one-to-one objects of owners that become one, where these belong to it anyway, what that of the best one
  /// becomes: by what the owners become.
  private func heirs(of reference: Reference) -> [MemoryObject: MemoryObject] {
    guard reference.isOneToOne, leadsToMember(reference.backward) else { return [:] }
    var heirs: [MemoryObject: MemoryObject] = [:]
    for (loser, survivor) in map.pairs(in: reference.ownerTable) {
      for owner in [survivor, loser] where heirs[survivor] == nil {
        let row = reference.list.first[owner.row]
        guard row != noRow else { continue }
        heirs[survivor] = map.settled(MemoryObject(table: reference.memberTable, row: row))
      }
    }
    return heirs
  }

  /// Writes what was gathered, after the deletion.
  mutating func write(_ fills: [MemoryObject: Fill]) throws {
    for (object, var fill) in fills.sorted(by: { $0.key.row < $1.key.row }) {
      // A one-to-one object may have come to another one.
      fill.targets = fill.targets.filter { number, target in
        let reference = store.references[number]
        return !reference.isOneToOne || reference.list.first[target.row] == noRow
      }
      if fill.isEmpty { continue }
      for (number, value) in fill.values {
        try graph.setCell(store.spaces[object.table].valueColumns[number], row: object.row, value: value)
      }
      // In a list it has its place already.
      for (number, target) in fill.targets where !store.references[number].isOrdered {
        try graph.setTarget(of: object.row, to: target.row, store.references[number])
      }
      try ranking.touch(object)
      report.add(1, graph.entity(of: object).name, to: \.updated)
    }
  }
}
