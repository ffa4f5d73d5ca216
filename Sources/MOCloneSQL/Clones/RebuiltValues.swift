import Foundation
import MOCloneEngine
import MOCloneModel

/// A value that all objects of a run get alike from a rule, given to its statements as a parameter.
struct RunParameter: Sendable, Hashable {
  /// The form in which columns hold the instant of the run.
  fileprivate let dates: DateStorage

  var name: String { "now_" + dates.rawValue }

  /// What the parameter is given.
  func value(now: Date) -> StoredValue {
    ValueCoding(type: .date, form: .date(dates)).encode(.date(now))
  }
}

extension RebuildRule {
  /// The value that a clone gets in a column.
  ///
  /// ```sql
  /// moclone_uuid(:run, 0)
  /// :now_iso8601
  /// ```
  ///
  /// - Parameter table: the table of the column.
  func sql(in column: AttributeColumn, of table: TableSchema?, _ dialect: Dialect) -> String {
    switch self {
    case .uuid: return dialect.newUUID(column.uuids, table?.column(column.column))
    case .now:
      let now = dialect.parameter(RunParameter(dates: column.dates).name)
      return table?.instant(now, in: column, dialect) ?? now
    }
  }

  /// The parameter that the value in a column is made of; nil where the database makes it.
  fileprivate func parameter(in column: AttributeColumn) -> RunParameter? {
    switch self {
    case .uuid: nil
    case .now: RunParameter(dates: column.dates)
    }
  }
}

extension AttributeRule {
  /// The rule that makes the value anew, of a follower where no ancestor has one.
  fileprivate var rebuilding: RebuildRule? {
    switch self {
    case .rebuild(let rule): rule
    case .followParent(_, _, .rule(let rule)): rule.rebuilding
    default: nil
    }
  }
}

extension CloneLayout {
  /// The parameters by which a run gives its statements what rules make.
  var runParameters: [RunParameter] {
    plan.nodes.flatMap { node in
      node.attributes.compactMap { planned in
        planned.rule.rebuilding?.parameter(in: mapping[node.entity].attributes[planned.attribute.name]!)
      }
    }.uniqued()
  }
}
