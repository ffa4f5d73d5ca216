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
    for pair in pairs {
      collectValues(pair, fill: &fills[pair.survivor, default: Fill()])
      collectTargets(pair, fill: &fills[pair.survivor, default: Fill()])
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

  private func collectTargets(_ pair: Pair, fill: inout Fill) {
    for (number, reference) in store.references.enumerated()
    where reference.memberTable == pair.loser.table && fill.targets[number] == nil {
      guard let target = owner(of: pair.loser, reference), owner(of: pair.survivor, reference) == nil else {
        continue
      }
      let settled = map.settled(target)
      if settled != pair.survivor { fill.targets[number] = settled }
    }
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
