import MOCloneEngine
import MOCloneModel

/// The statements of a plan for small closures: the map of each family is kept in memory, and a statement is for one
/// object, whose row of the map stands in the parameters.
///
/// Parameters beside those of `SQLProgram` are `:row_m_...` (the object that is written or checked, in joins `x` or
/// `y`), `:row_p_...` (the object that is expanded), `:row_r_...` (the root) and `:row_y0_...` (the parent, by the
/// number of the reference).
///
/// ```sql
/// SELECT :row_m_seq + :shift1, :row_m_parent + :shift0, s."name"
///   FROM (SELECT * FROM main."item" s WHERE s."id" = :row_m_o0) s;
/// INSERT OR ABORT INTO main."item"("id", "note_id", "name") VALUES (?, ?, ?)
/// ```
///
/// Rows are selected and inserted by two statements: SQLite keeps the pages that an INSERT ... SELECT changes until its
/// end, which costs more than the row itself.
package struct RowProgram: Sendable {
  /// A statement that is run for each object of a family.
  package struct Step: Sendable, Equatable {
    package var family: Int
    package var sql: String

    package init(family: Int, sql: String) {
      self.family = family
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

    package init(_ family: Family, _ table: TableSchema, columns: [String], values: String, readsFirst: Bool)
    {
      let dialect = family.dialect
      self.readsFirst = readsFirst || !table.triggers.isEmpty
      step = Step(family: family.index, sql: values)
      insert = Insert(
        into: dialect.table(table.name), columns.map(dialect.name),
        rows: "VALUES (\(columns.map { _ in "?" }.list))", conflict: table.conflict
      ).text(dialect)
    }
  }

  package let layout: CloneLayout
  package let root: Step
  /// Those of a family follow the one that leads there.
  package let expansions: [Expansion]
  package let checks: [RunCheck]
  package let writes: [Write]
  package let joins: [Write]
  /// The keys of linked objects, by entity.
  package let links: [(entity: String, step: Step)]

  /// Nil where objects of the closure are looked up by their keys, or where something is settled for all at once.
  package init?(_ program: SQLProgram) throws {
    let plan = program.layout.plan
    let layout = try CloneLayout(
      plan: plan, mapping: program.layout.mapping, schema: program.layout.schema, keepsMapping: true,
      form: .row)
    let joins = JoinRenderer.all(in: layout)
    guard plan.request.count == 1, program.partners.isEmpty, program.settling.isEmpty,
      program.settledChecks.isEmpty, program.writtenChecks.isEmpty, program.restoring.isEmpty,
      program.danglingInClosure == nil,
      program.joins.allSatisfy({ $0.disagreement == nil }),
      layout.families.allSatisfy({ Self.standsAlone($0, layout) }),
      joins.allSatisfy({ $0.hasOneEnd && $0.endComparesAsKey }),
      Self.hasIndexes(layout)
    else { return nil }
    self.layout = layout
    let closure = ClosureRenderer(layout: layout)
    let rootFamily = layout.families.first { $0.hasRoot }!
    root = Step(family: rootFamily.index, sql: closure.root(rootFamily))
    expansions = layout.components.joined().compactMap { target in
      let family = layout.families[target]
      return family.arrivals.first.map { arrival in
        let source = layout.family(of: arrival.entity)!.index
        return Expansion(
          step: Step(family: source, sql: closure.members(arrival, to: family)), target: target)
      }
    }
    checks = CheckRenderer(layout: layout).checks
    writes = program.writes.map { write in
      let family = layout.families[write.family]
      let writer = WriteRenderer(layout: layout, family: family)
      return Write(
        family, family.table, columns: writer.columns, values: writer.rows.text(layout.dialect),
        readsFirst: false)
    }
    // The pairs of an object are several rows of the table that is written.
    self.joins = joins.map {
      Write($0.end, $0.table, columns: $0.columns, values: $0.values, readsFirst: true)
    }
    links = Self.links(layout, joins)
  }

  /// Whether each object of a family was reached from its one parent, and refers to no other object of the closure.
  private static func standsAlone(_ family: Family, _ layout: CloneLayout) -> Bool {
    let references = layout.references[family.index]
    // A row's number that has no column is not seen through the selection of its columns.
    let hasColumns = family.keyColumns.allSatisfy { family.table.column($0.name) != nil }
    let refersToParentOnly = references.indices.allSatisfy { i in
      layout.family(of: references[i].key.destination) == nil || layout.parentReference(of: family) == i
    }
    return hasColumns && family.gathering == .single && !family.isCyclic && family.ranks.isEmpty
      && refersToParentOnly
      && family.keyColumns.allSatisfy { $0.collation == "BINARY" }
      && family.arrivals.allSatisfy { comparesAsKeys($0, layout) }
  }

  /// Without an index each object would have the whole table read; statements for all objects read it once.
  private static func hasIndexes(_ layout: CloneLayout) -> Bool {
    MissingIndexes(schema: layout.schema, mapping: layout.mapping, model: layout.plan.model)
      .following(layout.plan.followedNames).isEmpty
  }

  private static func comparesAsKeys(_ arrival: RelationshipDescription, _ layout: CloneLayout) -> Bool {
    guard
      case .inverseForeignKey(let key) = layout.mapping[arrival.entity].relationships[arrival.name],
      let target = layout.family(of: arrival.destination), let source = layout.family(of: arrival.entity)
    else { return false }
    return target.table.compares(key.columns, asKeys: key.references, of: source)
  }

  private static func links(
    _ layout: CloneLayout, _ joins: [JoinRenderer]
  ) -> [(entity: String, step: Step)] {
    let references = layout.families.flatMap { family in
      layout.references[family.index].indices.compactMap { i in
        ReferenceRenderer(layout: layout, family: family, index: i).links.map {
          (entity: $0.entity, step: Step(family: family.index, sql: $0.query.text(layout.dialect)))
        }
      }
    }
    return references
      + joins.flatMap { join in
        join.links.map {
          (entity: $0.entity, step: Step(family: join.end.index, sql: $0.query.text(layout.dialect)))
        }
      }
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
  func compares(_ columns: [String], asKeys references: [String], of family: Family) -> Bool {
    zip(columns, references).allSatisfy { column, reference in
      guard let own = self.column(column), let key = family.keyPart(reference).map({ family.keyColumns[$0] })
      else { return false }
      return own.comparison == key.comparison && own.collation == key.collation
    }
  }
}
