import MOCloneEngine
import MOCloneModel

/// The statements of a plan for small closures: the map of each table plan is kept in memory, and a statement is for one
/// object, whose row of the map is in the parameters.
///
/// Parameters beside those of `SQLProgram` are `:row_m_...` (the object that is written or checked, in joins `x` or
/// `y`), `:row_p_...` (the object that is expanded), `:row_r_...` (the root) and `:row_y0_...` (the parent, by the
/// number of the reference).
///
/// ```sql
/// SELECT :row_m_seq + :keyOffset1, :row_m_parent + :keyOffset0, s."name"
///   FROM (SELECT * FROM main."item" s WHERE s."id" = :row_m_o0) s;
/// INSERT OR ABORT INTO main."item"("id", "note_id", "name") VALUES (?, ?, ?)
/// ```
///
/// Rows are selected and inserted by two statements: SQLite keeps the pages that an INSERT ... SELECT changes until its
/// end, which costs more than the row itself.
package struct RowProgram: Sendable {
  /// A statement that is run for each object of a table plan.
  package struct Step: Sendable, Equatable {
    package var tablePlan: Int
    package var sql: String

    package init(tablePlan: Int, sql: String) {
      self.tablePlan = tablePlan
      self.sql = sql
    }
  }

  package struct Expansion: Sendable, Equatable {
    package var step: Step
    package var target: Int
  }

  /// Selects the rows to write for an object, and inserts one of them.
  package struct Write: Sendable, Equatable {
    package var step: Step
    package var insert: String
    /// Whether the rows of all objects are read before the first is written: a trigger can change what is read.
    package var readsFirst: Bool
    /// Whether a number behind the columns says where a row stands among those of all objects.
    package var isNumbered: Bool

    package init(
      _ tablePlan: CloneTablePlan, table: TableSchema, columns: [String], values: String, readsFirst: Bool,
      isNumbered: Bool = false
    ) {
      let dialect = tablePlan.dialect
      self.isNumbered = isNumbered
      self.readsFirst = readsFirst || !table.triggers.isEmpty
      step = Step(tablePlan: tablePlan.index, sql: values)
      insert = Insert(
        into: dialect.table(table.name), columns.map(dialect.name),
        rows: "VALUES (\(columns.map { _ in "?" }.list))", conflict: table.conflict
      ).text(dialect)
    }
  }

  package let layout: CloneLayout
  package let root: Step
  /// Those of a table plan follow the one that leads there.
  package let expansions: [Expansion]
  package let checks: [RunCheck]
  package let writes: [Write]
  package let joins: [Write]
  /// The keys of linked objects, by entity.
  package let links: [(entity: String, step: Step)]

  /// Nil where objects of the closure are looked up by their keys, or where something is settled for all at once.
  package init?(_ program: SQLProgram) throws {
    let plan = program.layout.plan
    guard !program.layout.hasCopies, program.relatedObjects.isEmpty, program.settling.isEmpty,
      program.settledChecks.isEmpty, program.writtenChecks.isEmpty, program.restoring.isEmpty,
      program.danglingInClosure.isEmpty,
      program.joins.allSatisfy({ $0.disagreement == nil }),
      program.layout.tablePlans.allSatisfy({ Self.standsAlone($0, in: program.layout) })
    else { return nil }
    let layout = try CloneLayout(
      plan: plan, mapping: program.layout.mapping, schema: program.layout.schema, keepsMapping: true,
      form: .row)
    let joins = JoinRenderer.all(in: layout)
    guard joins.allSatisfy({ $0.hasOneEnd && $0.endComparesAsKey && !$0.countsRows }),
      Self.hasIndexes(layout)
    else { return nil }
    self.layout = layout
    let closure = ClosureRenderer(layout: layout)
    root = Step(tablePlan: layout.root.index, sql: closure.root(layout.root))
    expansions = layout.components.joined().compactMap { target in
      let tablePlan = layout.tablePlans[target]
      return tablePlan.accessPaths.first.map { accessPath in
        let source = layout.tablePlan(of: accessPath.entity)!.index
        return Expansion(
          step: Step(tablePlan: source, sql: closure.members(accessPath, to: tablePlan)), target: target)
      }
    }
    checks = CheckRenderer(layout: layout).checks
    writes = program.writes.map { write in
      let tablePlan = layout.tablePlans[write.tablePlan]
      let writer = WriteRenderer(layout: layout, tablePlan: tablePlan)
      return Write(
        tablePlan, table: tablePlan.table, columns: writer.columns, values: writer.rows.text(layout.dialect),
        readsFirst: false)
    }
    // The join rows of an object are several rows of the table that is written.
    self.joins = joins.map {
      Write(
        $0.end, table: $0.table, columns: $0.columns, values: $0.values, readsFirst: true,
        isNumbered: $0.table.countedKey != nil)
    }
    links = layout.links(joins).map {
      (entity: $0.entity, step: Step(tablePlan: $0.tablePlan, sql: $0.query.text(layout.dialect)))
    }
  }

  /// Whether each object of a table plan was reached from its one parent, and refers to no other object of the closure.
  private static func standsAlone(_ tablePlan: CloneTablePlan, in layout: CloneLayout) -> Bool {
    let references = layout.references[tablePlan.index]
    // A row's number that has no column is not seen through the selection of its columns.
    let hasColumns = tablePlan.keyColumns.allSatisfy { tablePlan.table.column($0.name) != nil }
    let refersToParentOnly = references.indices.allSatisfy { i in
      layout.tablePlan(of: references[i].key.destination) == nil || layout.parentReference(of: tablePlan) == i
    }
    return hasColumns && tablePlan.gathering == .single && !tablePlan.isCyclic && tablePlan.ranks.isEmpty
      && refersToParentOnly
      && tablePlan.keyColumns.allSatisfy { $0.collation == "BINARY" }
      && tablePlan.accessPaths.allSatisfy { comparesAsKeys($0, in: layout) }
  }

  /// Without an index each object would have the whole table read; statements for all objects read it once.
  private static func hasIndexes(_ layout: CloneLayout) -> Bool {
    MissingIndexes(schema: layout.schema, mapping: layout.mapping, model: layout.plan.model)
      .following(layout.plan.askedNames).isEmpty
  }

  private static func comparesAsKeys(_ accessPath: RelationshipDescription, in layout: CloneLayout) -> Bool {
    guard
      case .inverseForeignKey(let key) = layout.mapping[accessPath.entity].relationships[accessPath.name],
      let target = layout.tablePlan(of: accessPath.destination),
      let source = layout.tablePlan(of: accessPath.entity)
    else { return false }
    return target.table.compares(key.columns, asKeys: key.references, of: source)
  }

  /// All of them, for people.
  package var statements: [String] {
    [root.sql] + expansions.map(\.step.sql) + checks.map(\.sql)
      + (writes + joins).flatMap { [$0.step.sql, $0.insert] }
  }
}

extension TableSchema {
  /// Whether columns of a foreign key compare with parameters, which have neither affinity nor collation, just as with
  /// the key's own columns.
  func compares(_ columns: [String], asKeys references: [String], of tablePlan: CloneTablePlan) -> Bool {
    zip(columns, references).allSatisfy { column, reference in
      guard let own = self.column(column),
        let key = tablePlan.keyPart(reference).map({ tablePlan.keyColumns[$0] })
      else { return false }
      return own.comparison == key.comparison && own.collation == key.collation
    }
  }
}
