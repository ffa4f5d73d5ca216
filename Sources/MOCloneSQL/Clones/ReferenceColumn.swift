import MOCloneEngine
import MOCloneModel

/// Renders the new value of a column that foreign keys are in.
///
/// Each concrete entity looks at its own references. Where several of them share the column, as composite keys share
/// the tenant, any that the clone keeps says what it holds: that all of them say the same is checked. Those that are
/// empty say nothing; the column keeps the original's value where they are emptied by other columns of theirs.
struct ReferenceColumn {
  let layout: CloneLayout
  let tablePlan: CloneTablePlan
  let name: String
  /// The references that are in the column, and which part of each does.
  private let parts: [Part]

  struct Part {
    var renderer: ReferenceRenderer
    var index: Int
    var reference: RowReference { renderer.reference }
  }

  /// Nil where no reference is in the column.
  init?(_ name: String, layout: CloneLayout, tablePlan: CloneTablePlan) {
    let references = layout.references[tablePlan.index]
    parts = references.indices.compactMap { i in
      references[i].part(in: name).map {
        Part(renderer: ReferenceRenderer(layout: layout, tablePlan: tablePlan, index: i), index: $0)
      }
    }
    guard !parts.isEmpty else { return nil }
    self.layout = layout
    self.tablePlan = tablePlan
    self.name = name
  }

  private func parts(of variant: Variant) -> [Part] { parts.filter { $0.renderer.holds(variant) } }

  /// The references that the value is taken from: not those whose own destinations wait for it.
  private func deciding(_ variant: Variant) -> [Part] {
    let waiting = tablePlan.waiting[name.sqlName] ?? []
    return parts(of: variant).filter { !waiting.contains($0.renderer.index) }
  }

  /// The joins that the values need.
  var joins: [From.Join] { parts.flatMap(\.renderer.joins) }

  // MARK: Values

  func value(_ variant: Variant) -> String {
    let original = layout.dialect.column("s", name)
    let all = parts(of: variant)
    if all.isEmpty { return original }
    if all.count == 1, !canKeepOriginal(all[0], variant: variant), deciding(variant).count == 1 {
      return all[0].renderer.value(all[0].index, variant)
    }
    let deciding = deciding(variant)
    let keeps = deciding.isEmpty || all.allSatisfy { canKeepOriginal($0, variant: variant) }
    return deciding.reversed().reduce(keeps ? original : "NULL") { rest, part in
      part.renderer.hasValue(variant).choose(part.renderer.value(part.index, variant), else: rest)
    }
  }

  /// Whether a reference is emptied without this column, which the primary key or another reference holds too.
  private func canKeepOriginal(_ part: Part, variant: Variant) -> Bool {
    isShared(name, variant: variant)
      && part.reference.key.columns.contains { !isShared($0, variant: variant) }
  }

  private func isShared(_ column: String, variant: Variant) -> Bool {
    if layout.mapping[tablePlan.name].keyPart(of: column) != nil { return true }
    return layout.references[tablePlan.index].filter { reference in
      layout.plan.model.isKind(variant.entity, of: reference.entity) && reference.part(in: column) != nil
    }.count > 1
  }

  // MARK: Disagreement

  /// Finds clones for which a reference needs another value of the column than it gets; run when keys are settled.
  ///
  /// - Parameter settled: the value that the column gets.
  func disagreements(_ settled: (Variant) -> String) -> [RunCheck] {
    parts.flatMap { part in
      tablePlan.variants.compactMap { variant -> RunCheck? in
        guard part.renderer.holds(variant), canDisagree(part, variant: variant) else { return nil }
        let differs = layout.dialect.different(
          "(\(part.renderer.value(part.index, variant)))", "(\(settled(variant)))")
        let found = variant.condition("m", in: tablePlan) && part.renderer.hasValue(variant) && differs
        guard found != .never else { return nil }
        let relationship = part.reference.relationship
        let rows = layout.rows(of: tablePlan) + joins
        return layout.check(tablePlan, entity: variant.entity, among: rows, where: found) {
          [name] original in .disagreement(name, of: relationship, object: original)
        }
      }
    }
  }

  /// Whether the column can get another value than this reference says: another reference decides, or the request
  /// gives the part of the key, which a reference that is in the key as a whole then follows.
  private func canDisagree(_ part: Part, variant: Variant) -> Bool {
    if variant.isRoot, tablePlan.givenParts.contains(name.sqlName), !part.renderer.isGiven(variant) {
      return canKeepOriginal(part, variant: variant)
    }
    return parts(of: variant).count > 1 || deciding(variant).isEmpty
  }
}

extension RowReference {
  /// The part of the foreign key that is in a column.
  func part(in column: String) -> Int? {
    key.columns.firstIndex { $0.sqlName == column.sqlName }
  }
}
