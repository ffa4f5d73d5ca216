import MOCloneEngine
import MOCloneModel

/// The statements that add to what goes whatever its cascades lead to.
struct CascadeRenderer {
  private let layout: StoreLayout
  private let gone: [RowSet]
  /// The cascades from the objects of a table, by its number.
  private let leading: [Int: [RelationshipDescription]]
  /// The tables that cascades lead between in circles, and each other one alone, in the order of cascades.
  private let components: [[Int]]
  /// What is found over cascades that lead in a circle: the number of a table, and a key in the columns of that table.
  private let reached: TemporaryTable
  private var dialect: Dialect { layout.dialect }

  init(_ layout: StoreLayout, gone: [RowSet]) {
    self.layout = layout
    self.gone = gone
    let cascades = layout.relationships.filter { $0.deleteRule == .cascade }
    let edges = cascades.map { layout.ends(of: $0) }
    leading = Dictionary(grouping: cascades) { layout.ends(of: $0).from }
    components = Components(count: layout.tables.count, edges: edges).ordered
    // A table has room for so many columns only.
    let turning = Set(edges.filter { $0.from == $0.to }.map(\.from))
    let inCircles = components.filter { $0.count > 1 || turning.contains($0[0]) }.joined().sorted()
    reached = TemporaryTable(
      "reached",
      columns: ["t \(layout.dialect.types.integer)"]
        + inCircles.flatMap { layout.tables[$0].keys.definitions(Self.prefix(layout.tables[$0])) },
      dialect: layout.dialect)
  }

  var setUp: [String] { reached.setUp }
  var cleanUp: [String] { [reached.clear] }

  /// Names the key columns of a table.
  private static func prefix(_ table: TablePlan) -> String { "k\(table.index)_" }

  var statements: [String] {
    components.flatMap { members in
      let own = Set(members)
      let cascades = members.flatMap { leading[$0] ?? [] }
      let inside = cascades.filter { own.contains(layout.ends(of: $0).to) }
      let outside = cascades.filter { !own.contains(layout.ends(of: $0).to) }
      return (inside.isEmpty ? [] : circle(members.map { layout.tables[$0] }, relationships: inside))
        + outside.map(step)
    }
  }

  private func step(_ relationship: RelationshipDescription) -> String {
    let edge = layout.ends(of: relationship)
    let set = gone[edge.from]
    let way = set.rows("g") + layout.way(over: relationship, from: set.key("g"))
    return gone[edge.to].add(Select(gone[edge.to].table.key("d"), from: way))
  }

  /// Tables whose objects lead to each other, in one statement that follows them to the end.
  private func circle(_ tables: [TablePlan], relationships: [RelationshipDescription]) -> [String] {
    func row(_ table: TablePlan, _ key: [String]) -> [String] {
      ["\(table.index)"] + tables.flatMap { $0 == table ? key : $0.keyColumns.map(dialect.null) }
    }
    let columns = ["t"] + tables.flatMap { $0.keys(Self.prefix($0)) }
    let start = tables.map { Select(row($0, $0.keys("k")), from: From(gone[$0.index].sql)) }
    let steps = relationships.map { relationship in
      let source = layout.table(of: relationship.entity)
      let destination = layout.table(of: relationship.destination)
      let joins = layout.way(over: relationship, from: source.keys("g." + Self.prefix(source)))
      return Recursion.Step(
        source: source.index, columns: row(destination, destination.key("d")),
        joins: [joins[0].on(.equal(["g.t"], ["\(source.index)"]))] + joins.dropFirst())
    }
    let recursion = Recursion(columns: columns, start: start, steps: steps)
    return [reached.clear, reached.insert(columns, rows: recursion.text(dialect))]
      + tables.map { table in
        let found = Select(table.keys(Self.prefix(table)), from: From(reached.sql))
        return gone[table.index].add(found.where(.equal(["t"], ["\(table.index)"])))
      }
  }
}

extension StoreLayout {
  /// The relationships between entities that can have objects.
  package var relationships: [RelationshipDescription] {
    model.entities.flatMap(\.relationships).filter {
      hasObjects(of: $0.entity) && hasObjects(of: $0.destination)
    }
  }

  /// The numbers of the tables that a relationship leads between.
  fileprivate func ends(of relationship: RelationshipDescription) -> (from: Int, to: Int) {
    (table(of: relationship.entity).index, table(of: relationship.destination).index)
  }

  /// The way from an object over a relationship: `s` is the row of its key, `d` the destination's.
  package func way(over relationship: RelationshipDescription, from key: [String]) -> [From.Join] {
    let source = table(of: relationship.entity)
    let destination = table(of: relationship.destination)
    let start = source.row("s", of: key).on(isKind(relationship.entity, alias: "s"))
    let home = mapping[relationship.entity].relationships[relationship.name]!
    let (pairs, tie) = home.way(from: "s", to: "d", over: "j", in: dialect)
    let row = From.Join.ordered("\(destination.sql) d", on: tie)
    if let pairs { return [start, .ordered("\(dialect.table(pairs.table)) j", on: pairs.tie), row] }
    guard case .inverseForeignKey(let key) = home else { return [start, row] }
    return [start, row.on(isKind(key.entity, alias: "d"))]
  }
}
