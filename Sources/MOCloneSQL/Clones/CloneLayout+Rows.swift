import MOCloneEngine
import MOCloneModel

extension CloneLayout {
  /// The objects of a family: `m` their map and `s` the originals' rows; where they have no map, `m` is that of
  /// their parents.
  package func rows(of family: Family) -> From {
    guard family.isDirect, let arrival = family.arrivals.first else {
      return family.rows("s", of: family.table.name, with: "m", on: .equal(family.key("s"), family.old("m")))
    }
    let source = source(of: family)
    guard case .inverseForeignKey(let key) = mapping[arrival.entity].relationships[arrival.name] else {
      preconditionFailure("a family without a map names its parents by key")
    }
    let parents = key.references.map { name in
      "m.o\(source.keyColumns.firstIndex { $0.name.sqlName == name.sqlName }!)"
    }
    let condition = Condition.equal(parents, key.columns.map { dialect.column("s", $0) })
    return source.rows(
      "s", of: family.table.name, with: "m", on: condition && cloning(arrival, in: source, "m"))
  }

  /// Selects the key of the first original for which a condition holds.
  func firstOriginal(of family: Family, among rows: From?, where condition: Condition) -> String {
    Select(family.old("m"), from: rows).where(condition).limited(to: 1).text(dialect)
  }

  /// The family from which a family without a map is reached.
  package func source(of family: Family) -> Family { self.family(of: family.arrivals[0].entity)! }

  /// Whether an object of the map `alias` clones a relationship.
  package func cloning(_ relationship: RelationshipDescription, in source: Family, _ alias: String)
    -> Condition
  {
    let nodes = source.nodes.filter { $0.plan(of: relationship)?.rule == .clone }
    guard nodes.count < source.nodes.count else { return .always }
    return nodes.map { Variant($0).condition(alias, in: source) }.reduce(.never) { $0 || $1 }
  }
}
