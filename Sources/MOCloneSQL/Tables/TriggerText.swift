/// An UPDATE in the body of a trigger.
package struct TriggerUpdate: Sendable, Equatable {
  /// As the body writes it, without quotes; with its schema where one is named.
  package var table: String
  /// The columns that it sets, as names are compared.
  package var columns: [String]
  /// The columns of the new row that decide which rows it changes.
  package var chosenBy: [String]
  /// What it makes of columns.
  package var formulas: [TriggerFormula] = []
  /// The columns that it counts or adds up: of what they held, or of rows.
  package var counted: Set<String> = []
  /// Of these the columns to which something is added for each new row.
  var added: Set<String> = []
  /// Of these the columns that the body reads once more, for a number or a running total.
  var readAgain: Set<String> = []

  /// Whether it changes the new row itself, not one that the new row refers to.
  package func isOfNewRow(key: [String]) -> Bool {
    let own = Set(key.map(\.sqlName))
    return !own.isEmpty && own.isSubset(of: chosenBy)
      || chosenBy.contains { ["rowid", "oid", "_rowid_"].contains($0) }
  }
}

/// What no PRAGMA tells of a trigger: when it runs, and what it does.
package struct TriggerText: Equatable {
  package let event: String
  package let body: TriggerBody

  package init(_ sql: String) {
    let tokens = SQLToken.all(in: sql)
    event =
      tokens.prefix { !$0.isWord("ON") }.last { Self.events.contains($0.text.uppercased()) }
      .map { $0.text.uppercased() } ?? "UPDATE"
    body = TriggerBody(
      tokens.drop { !$0.isWord("BEGIN") },
      isConditional: tokens.prefix { !$0.isWord("BEGIN") }.contains { $0.isWord("WHEN") })
  }

  private static let events: Set<String> = ["INSERT", "UPDATE", "DELETE"]
}

/// What the statements of a trigger do, in SQL or in PL/pgSQL.
///
/// What they leave to other functions or build at run time is not known.
package struct TriggerBody: Equatable {
  package let updates: [TriggerUpdate]
  /// Whether it removes rows.
  package let deletes: Bool
  /// The columns of the new row that it sets, whatever they held, as names are compared.
  package let assigned: [String]
  /// Those that it sets in some cases only.
  package let assignedUnderConditions: [String]
  /// What it makes of columns of the new row itself.
  package let formulas: [TriggerFormula]
  /// Whether it runs statements that it builds (`EXECUTE`).
  package let isDynamic: Bool

  /// - Parameters:
  ///   - newRows: what the body calls the table of all new rows, where its trigger has one.
  ///   - isConditional: whether its trigger runs for some new rows only.
  ///   - event: the event for which it is asked, where the body may ask which one it is.
  package init(_ sql: String, newRows: String? = nil, isConditional: Bool = false, event: String? = nil) {
    let all = SQLToken.all(in: sql)[...]
    let tokens = event.map { EventBranches(event: $0).taken(all)[...] } ?? all
    self.init(tokens, newRows: newRows, isConditional: isConditional)
  }

  init(_ tokens: ArraySlice<SQLToken>, newRows: String? = nil, isConditional: Bool) {
    let statements = TriggerStatements(tokens)
    let names = NewRowNames(tokens, newRows: newRows)
    let all = statements.updates.map { TriggerUpdate($0, names: names, isConditional: isConditional) }
    updates = all.map { update in
      var update = update
      update.formulas.removeAll { formula in
        let setting = zip(statements.updates, all).filter { $1.columns.contains(formula.column) }.map(\.0)
        // What is read once more numbers the rows, or is their running total.
        return formula.kind == .added && statements.reads(formula.column, besides: setting)
      }
      update.readAgain = update.added.filter { column in
        let setting = zip(statements.updates, all).filter { $1.columns.contains(column) }.map(\.0)
        return statements.reads(column, besides: setting)
      }
      return update
    }
    deletes = statements.deletes
    assigned = statements.assigned
    assignedUnderConditions = statements.assignedUnderConditions
    formulas = isConditional ? [] : statements.made
    isDynamic = tokens.contains { $0.isWord("EXECUTE") }
  }
}

extension TriggerUpdate {
  /// `SET column = ..., (column, column) = ... [FROM ...] [WHERE ...]`
  fileprivate init(_ update: TriggerStatements.Update, names: NewRowNames, isConditional: Bool) {
    table = update.table
    let depth = update.rest.first?.depth ?? 0
    let assigned = update.rest.prefix { token in
      token.depth > depth || !["WHERE", "FROM"].contains { token.isWord($0) }
    }
    let rows = update.rest[assigned.endIndex...]
    chosenBy = names.columns(in: rows)
    columns = []
    let isOfRow = rows.comparesWithNewRow || !rows.contains(where: \.isFurtherCondition)
    let isAlways = !isConditional && !update.isConditional && isOfRow
    for part in assigned.split(whereSeparator: { $0.text == "," && $0.depth == depth }) {
      let targets = part.prefix { $0.text != "=" }
      let value = part[targets.endIndex...].dropFirst()
      let names = targets.filter { !["(", ")", ","].contains($0.text) }.map(\.name)
      columns += names
      counted.formUnion(names.filter { value.counts($0) })
      added.formUnion(names.filter { value.adds(to: $0) })
      formulas += names.compactMap { name in
        value.kind(of: name, isAlways: isAlways).map {
          TriggerFormula(
            name, $0, isWhole: names.count == 1, value: Array(value), rows: Array(rows))
        }
      }
    }
  }
}

extension SQLToken {
  /// Whether more than a key decides which rows are meant.
  fileprivate var isFurtherCondition: Bool { ["AND", "OR", "IN", "EXISTS"].contains { isWord($0) } }
}

extension ArraySlice<SQLToken> {
  /// Whether columns must equal some of the new row, as those of a key of several do, and nothing else.
  fileprivate var comparesWithNewRow: Bool {
    guard first?.isWord("WHERE") == true else { return false }
    return dropFirst().split { $0.isWord("AND") }.allSatisfy { part in
      let sides = part.split { $0.text == "=" }
      return sides.count == 2 && sides.allSatisfy(\.isColumn)
        && sides.count { $0.count == 3 && $0.first?.name == "new" } == 1
    }
  }

  /// `column` or `table.column`
  private var isColumn: Bool {
    guard let start = first?.text.first, start.isLetter || "_\"`[".contains(start) else { return false }
    return count == 1 || count == 3 && dropFirst().first?.text == "."
  }

  /// Whether an expression counts on from a column, or counts rows.
  fileprivate func counts(_ column: String) -> Bool {
    contains { $0.name == column } && contains { ["+", "-"].contains($0.text) } || isAggregate
  }

  /// Whether an expression only adds to a column.
  fileprivate func adds(to column: String) -> Bool {
    contains { $0.name == column } && contains { $0.text == "+" } && !contains { $0.text == "-" }
      && !isAggregate
  }

  private var isAggregate: Bool {
    zip(self, dropFirst()).contains { Self.aggregates.contains($0.text.uppercased()) && $1.text == "(" }
  }

  /// What an expression makes of a column; nil where it only adjusts it, or where a condition lets it.
  fileprivate func kind(of column: String, isAlways: Bool) -> TriggerFormula.Kind? {
    guard isAlways else { return nil }
    let readsItself = contains { $0.name == column }
    // `max(n, NEW.n)` is no aggregate.
    if isAggregate, contains(where: { $0.isWord("SELECT") }) { return readsItself ? nil : .counted }
    if !readsItself { return .set }
    return contains { ["+", "-"].contains($0.text) } ? .added : nil
  }

  private static let aggregates: Set<String> = ["COUNT", "SUM", "TOTAL", "AVG", "MIN", "MAX"]
}
