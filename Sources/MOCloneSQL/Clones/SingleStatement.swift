import MOCloneEngine
import MOCloneModel

/// A clone as one statement, where a database lets one statement insert into several tables: the maps are its named
/// queries, so that it needs no temporary table and sees one state of the store.
///
/// Its one row says what was found and written; where the root is not there nothing is, and its new key is null. Before
/// anything is written it fails where a check finds something and where there are many objects: the server plans the
/// statement for as many as usual, and joins named queries without an index. It fails as well where the server has not
/// analysed it at the instant `$analysed`, unless that is any: a table has changed since then.
///
/// ```sql
/// WITH "moclone_map_n" AS MATERIALIZED (SELECT $root AS seq, s."id" AS o0, nextval('note_id_seq') AS n0 FROM "note" s ...),
///   "moclone_map_i" AS MATERIALIZED (SELECT row_number() OVER () AS seq, f.* FROM (SELECT ...) f),
///   w0 AS (INSERT INTO "note"(...) SELECT ... RETURNING 1), w1 AS (INSERT INTO "item"(...) SELECT ... RETURNING 1)
/// SELECT (SELECT n0 FROM "moclone_map_n"), (SELECT count(*) FROM "moclone_map_i"), (SELECT count(*) FROM w1)
/// ```
package struct SingleStatement: Sendable {
  /// What a column of the answer tells.
  package enum Column: Equatable, Sendable {
    /// A part of the root's new key.
    case key
    /// Whether a check finds something, in a statement that only counts.
    case refuses
    /// Says nothing: a division by zero fails the statement where a check finds something.
    case passes
    /// When the server analysed the statement.
    case analysed
    /// How many objects of an entity were found, where a table plan holds several.
    case found(entity: String)
    /// How many objects of a table plan were written, or would be.
    case written(tablePlan: Int)
    case linked(entity: String)
  }

  /// How many objects of a table plan it clones at most.
  private static let mostObjects = 1000

  /// For `$analysed`, where it does not matter when that was.
  package static let anyInstant = "-infinity"

  package let sql: String
  package let columns: [Column]

  /// Nil where objects are found generation by generation, where keys are settled after the closure, and where triggers
  /// run, which do not see what other parts of their statement write.
  ///
  /// - Parameter writes: false for a statement that only counts, which a read-only server takes too.
  package init?(_ layout: CloneLayout, countsLinks: Bool, writes: Bool = true) throws {
    guard layout.dialect.insertsTogether, Self.isPossible(layout) else { return nil }
    let layout = layout.inQueries
    let program = try SQLProgram(layout)
    guard !writes || !program.hasTriggers, program.settling.isEmpty, program.writtenChecks.isEmpty,
      program.relatedObjects.isEmpty, program.joins.allSatisfy({ $0.disagreement == nil })
    else { return nil }
    let closure = ClosureRenderer(layout: layout)
    var queries = layout.components.joined().map { layout.tablePlans[$0] }.filter { !$0.isDirect }.map {
      "\(layout.dialect.temporary($0.map)) AS MATERIALIZED (\(closure.query($0)))"
    }
    var answer: [(column: Column, sql: String)] = []
    if writes, let analysed = layout.dialect.analysed {
      // It comes first, so that nothing is counted on where it fails.
      let given = "CAST($analysed AS timestamp with time zone)"
      answer.append(
        (.passes, "1 / CASE WHEN \(given) IN ('\(Self.anyInstant)', \(analysed)) THEN 1 ELSE 0 END"))
      answer.append((.analysed, "CAST(\(analysed) AS text)"))
    }
    let root = layout.root
    for part in root.keyColumns.indices {
      answer.append(
        (.key, "SELECT \(root.newKey("m", part: part)) FROM \(layout.dialect.temporary(root.map)) m"))
    }
    let found = (program.checks + program.settledChecks).map { "EXISTS (\($0.sql))" }
    if writes {
      let maps = layout.tablePlans.filter { !$0.isDirect && !$0.hasRoot }.map {
        layout.dialect.temporary($0.map)
      }
      let many = maps.map { "EXISTS (SELECT 1 FROM \($0) m OFFSET \(Self.mostObjects))" }
      let refusal = (many + found).joined(separator: " OR ")
      if !refusal.isEmpty { answer.append((.passes, "SELECT 1 / CASE WHEN \(refusal) THEN 0 ELSE 1 END")) }
    } else {
      answer += found.map { (.refuses, "SELECT \($0)") }
    }
    for (place, write) in program.writes.enumerated() {
      let tablePlan = layout.tablePlans[write.tablePlan]
      if writes { queries.append("w\(place) AS (\(write.sql) RETURNING 1)") }
      if tablePlan.hasEntity { answer += Self.found(tablePlan, layout.dialect) }
      let count = writes ? "SELECT count(*) FROM w\(place)" : write.count
      answer.append((.written(tablePlan: tablePlan.index), count))
    }
    if writes { queries += program.joins.enumerated().map { "j\($0) AS (\($1.sql))" } }
    if countsLinks { answer += program.links.map { (.linked(entity: $0.entity), $0.sql) } }
    columns = answer.map(\.column)
    sql = "WITH \(queries.list) SELECT \(answer.map { "(\($0.sql))" }.list)"
  }

  private static func isPossible(_ layout: CloneLayout) -> Bool {
    !layout.hasCopies && !layout.hasLateKeys
      && layout.tablePlans.allSatisfy { tablePlan in
        !tablePlan.isCyclic && !tablePlan.isStaged && !tablePlan.hasRowidKey && tablePlan.ranks.isEmpty
          && tablePlan.settled.isEmpty && tablePlan.table.nullable(tablePlan.keyColumns.map(\.name)).isEmpty
      }
  }

  /// The objects of each entity of a table plan that holds several.
  private static func found(
    _ tablePlan: CloneTablePlan, _ dialect: Dialect
  ) -> [(column: Column, sql: String)] {
    let count = Select(["count(*)"], from: From("\(dialect.temporary(tablePlan.map)) m"))
    return tablePlan.entities.enumerated().map { place, entity in
      (.found(entity: entity), count.where(.equal(["m.entity"], [String(place)])).text(dialect))
    }
  }
}
