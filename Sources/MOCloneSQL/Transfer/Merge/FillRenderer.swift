import MOCloneEngine
import MOCloneModel

/// The statements that fill nulls of what stays with the values of what goes, the best one's first.
package struct FillRenderer {
  private let merge: MergeRenderer
  private let columns: [Fill]
  package let fills: RowSet
  package var table: TablePlan { merge.table }
  private var dialect: Dialect { merge.dialect }

  /// Columns that are filled together, and where their values come from.
  struct Fill {
    var columns: [String]
    /// Whether a row `s` has room.
    var isOpen: Condition
    /// Values in a row `l` of what goes, with what has to be joined to it.
    var values: [String]
    var joins: [From.Join] = []
    var condition: Condition
    var reference: RowReference?
    /// Whether the columns are a foreign key, of the model or of the database alone.
    var isForeignKey = false

    /// Whether at most one row may hold the value.
    var isAlone: Bool { reference?.isOneToOne ?? false }
  }

  package init(_ merge: MergeRenderer) {
    self.merge = merge
    columns = Self.columns(merge)
    let (table, names) = (merge.table, columns.flatMap(\.columns))
    fills = RowSet(
      "fills", of: table,
      noting: names.enumerated().map {
        merge.dialect.definition("f\($0)", as: table.schema.columnOrRowid($1))
      })
  }

  /// The columns of `fills` that hold the values of each fill, in step.
  private var numbered: [(fill: Fill, names: [String])] {
    var next = 0
    return columns.map { fill in
      defer { next += fill.columns.count }
      return (fill, fill.columns.indices.map { "f\(next + $0)" })
    }
  }

  /// Gathers what can be filled, once everything has moved and before anything is deleted.
  package var collect: [String] {
    guard !columns.isEmpty else { return fills.setUp }
    let values = columns.flatMap { fill in
      fill.values.map { fill.isOpen.choose(Self.value($0, fill: fill, merge: merge), else: "NULL") }
    }
    let found = Select(table.key("s") + values, from: merge.survivors).where(columns.map(\.isOpen).any)
    return fills.setUp + [fills.add(found, noting: values.indices.map { "f\($0)" })]
  }

  /// The value of the best row that has one.
  static func value(_ value: String, fill: Fill, merge: MergeRenderer) -> String {
    let table = merge.table
    let best = Select([value], from: merge.map.rows("m", with: "l") + fill.joins)
      .where(.equal(table.keys("m.n"), table.key("s")) && fill.condition)
      .ordered(by: ["m.rank"]).limited(to: 1)
    return "(\(best.text(merge.dialect)))"
  }

  /// What columns of what stays, `s`, hold in the end.
  func filled(_ columns: [String], fills: Bool) -> [String] {
    let own = dialect.columns("s", columns)
    // What lies in these columns alone comes before what shares them.
    let sharing = self.columns.filter { $0.columns.starts(with: columns) }
    guard let fill = sharing.first(where: { $0.columns == columns }) ?? sharing.first else { return own }
    return zip(own, fill.values).map { own, value in
      fill.isOpen.choose(fills ? Self.value(value, fill: fill, merge: merge) : "NULL", else: own)
    }
  }

  /// Drops what cannot be filled any more, after the deletion: a one-to-one object that has come to another one.
  package var settle: [String] {
    guard !columns.isEmpty else { return [] }
    let taken = numbered.filter(\.fill.isAlone).map { fill, names in
      let holds = Condition.equal(dialect.columns("y", fill.columns), names.map { "v." + $0 })
      return Update("\(fills.sql) AS v", assignments: names.map { ($0, "NULL") })
        .where(.exists(in: table.rows("y"), where: holds, dialect)).text(dialect)
    }
    let isEmpty = numbered.flatMap(\.names).map { .isNull($0) }.all
    return taken + [Delete(fills.sql).where(isEmpty).text]
  }

  /// What is written at once, and how many rows it changes.
  package struct Part {
    package let statements: [String]
    package let count: Select
  }

  /// Writes what was gathered: the values of rows, then each of their references in the rows that gain it alone, since a
  /// database that enforces its foreign keys would look at those that dangle already.
  package var parts: [Part] {
    let plain = numbered.filter { !$0.fill.isForeignKey }
    return (plain.isEmpty ? [] : [part(plain)]) + numbered.filter(\.fill.isForeignKey).map { part([$0]) }
  }

  private func part(_ fills: [(fill: Fill, names: [String])]) -> Part {
    let assigned = fills.flatMap { fill, names in assignments(fill, values: names.map { "v." + $0 }) }
      .filter { !table.schema.isGenerated($0.column) }
    let isFilled = fills.map { .isNotNull($0.names[0]) }.any
    let rows = self.fills
    let change = merge.dates.change(
      table, as: "s", where: .among(table.key("s"), query: rows.keys.where(isFilled), dialect: dialect)
    ) {
      $0.taking(assigned.map { dialect.name($0.column) }, from: rows.noted(assigned.map(\.value), for: "s"))
    }
    return Part(statements: change, count: rows.countExisting.where(isFilled))
  }

  /// - Parameter values: those of a row `v` of what was gathered.
  private func assignments(_ fill: Fill, values: [String]) -> [(column: String, value: String)] {
    let own = zip(fill.columns, values).map { (column: $0, value: $1) }
    // What a list gains has its place in it already.
    guard let reference = fill.reference, reference.orderColumn == nil else {
      return own.map { ($0.column, "coalesce(\(dialect.column("s", $0.column)), \($0.value))") }
    }
    return own
  }

  // MARK: Dangling references

  /// How many references of what goes would fill what stays, but reference missing rows: by the relationship.
  package var dangling: [(name: String, count: Select)] {
    columns.compactMap { fill in
      guard let reference = fill.reference else { return nil }
      let count = Select(["count(*)"], from: merge.pairs(survivor: "s")).where(
        fill.isOpen && dialect.columns("l", fill.columns).map(Condition.isNotNull).all
          && !merge.layout.leads(reference, alias: "l")
      )
      return (reference.relationship.qualifiedName, count)
    }
  }
}
