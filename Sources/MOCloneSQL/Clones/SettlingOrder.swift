import MOCloneEngine
import MOCloneModel

/// The columns whose new values are settled between closure and write, each after those that it is taken from: parts of
/// keys that are references or counted, and columns that other rows refer to and that are references themselves.
struct SettlingOrder {
  struct Slot: Hashable {
    var tablePlan: Int
    /// In lower case.
    var column: String
  }

  /// In the order in which they can be settled.
  private(set) var slots: [Slot] = []
  /// References that a slot is not taken from, since their destinations wait for it in a circle. What the others say must
  /// fit them, which is checked.
  private(set) var waiting: [Slot: Set<Int>] = [:]
  private let tablePlans: [CloneTablePlan]
  private let references: [[RowReference]]
  private let model: ObjectModel

  /// - Throws: `CloneError` where keys are made of each other alone.
  init(_ tablePlans: [CloneTablePlan], references: [[RowReference]], model: ObjectModel) throws {
    self.tablePlans = tablePlans
    self.references = references
    self.model = model
    let referring = Dictionary(grouping: references.joined()) { model.rootEntity(of: $0.key.destination) }
    var open = tablePlans.flatMap(keySlots)
    open += tablePlans.flatMap { referencedSlots($0, by: referring[$0.name] ?? []) }
    while !open.isEmpty {
      let ready = open.filter { slot in needs(of: slot).isDisjoint(with: open) }
      if ready.isEmpty { try cut(open) }
      slots += ready
      open.removeAll(where: ready.contains)
    }
  }

  private func keySlots(_ tablePlan: CloneTablePlan) -> [Slot] {
    tablePlan.keyColumns.indices.filter(tablePlan.isLate).map {
      Slot(tablePlan: tablePlan.index, column: tablePlan.keyColumns[$0].name.sqlName)
    }
  }

  private func referencedSlots(_ tablePlan: CloneTablePlan, by referring: [RowReference]) -> [Slot] {
    let names = referring.flatMap(\.key.references).map { $0.sqlName }
    return Set(names).sorted().filter { name in
      tablePlan.keyPart(name) == nil && references[tablePlan.index].contains { $0.part(in: name) != nil }
    }.map { Slot(tablePlan: tablePlan.index, column: $0) }
  }

  /// What a slot is taken from.
  private func needs(of slot: Slot) -> Set<Slot> {
    let references = references[slot.tablePlan].indices.filter { waiting[slot]?.contains($0) != true }
      .flatMap { needs(of: slot, over: $0) }
    return Set(references).union(others(in: slot))
  }

  private func needs(of slot: Slot, over reference: Int) -> [Slot] {
    let reference = references[slot.tablePlan][reference]
    guard let part = reference.part(in: slot.column),
      let destination = tablePlans.first(where: { $0.name == model.rootEntity(of: reference.key.destination) }
      )
    else { return [] }
    return [Slot(tablePlan: destination.index, column: reference.key.references[part].sqlName)]
  }

  /// A part that is counted within the others comes after them.
  private func others(in slot: Slot) -> [Slot] {
    let tablePlan = tablePlans[slot.tablePlan]
    guard let part = tablePlan.keyPart(slot.column),
      tablePlan.sources(ofPart: part).contains(where: \.isCounted)
    else { return [] }
    return tablePlan.keyColumns.indices.filter { $0 != part }.map {
      Slot(tablePlan: slot.tablePlan, column: tablePlan.keyColumns[$0].name.sqlName)
    }
  }

  /// Cuts a circle where a column has another reference to be taken from, or can hold what the original holds.
  private mutating func cut(_ open: [Slot]) throws {
    let circle = open.filter { !blocked($0, open: open).isEmpty }
    let slot = circle.first { hasOther($0, open: open) } ?? circle.first(where: canKeepOriginal)
    guard let slot else { throw circularKeys }
    waiting[slot, default: []].formUnion(blocked(slot, open: open))
  }

  private func blocked(_ slot: Slot, open: [Slot]) -> [Int] {
    references[slot.tablePlan].indices.filter { i in
      waiting[slot]?.contains(i) != true && !Set(needs(of: slot, over: i)).isDisjoint(with: open)
    }
  }

  private func hasOther(_ slot: Slot, open: [Slot]) -> Bool {
    let blocked = blocked(slot, open: open)
    return references[slot.tablePlan].indices.contains { i in
      references[slot.tablePlan][i].part(in: slot.column) != nil && !blocked.contains(i)
        && waiting[slot]?.contains(i) != true
    }
  }

  /// Beside the key, and in a key of which another part is new.
  private func canKeepOriginal(_ slot: Slot) -> Bool {
    let tablePlan = tablePlans[slot.tablePlan]
    guard let part = tablePlan.keyPart(slot.column) else { return true }
    return tablePlan.keyColumns.indices.contains { other in
      other != part && tablePlan.sources(ofPart: other).allSatisfy(\.isNew)
    }
  }

  private var circularKeys: CloneError {
    let names = tablePlans.filter { !$0.hasRowidKey }.map(\.name).joined(separator: ", ")
    return CloneError(
      .storeMismatch,
      "the keys of \(names) are foreign keys of each other in a cycle, so none of them can be generated first"
    )
  }
}
