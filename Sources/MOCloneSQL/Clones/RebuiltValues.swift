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
}

extension AttributeRule {
  /// Whether the value is the instant of the run, of a follower where no ancestor has one.
  fileprivate var takesInstant: Bool {
    switch self {
    case .rebuild(.now): true
    case .followParent(_, _, .rule(let rule)): rule.takesInstant
    default: false
    }
  }
}

extension CloneLayout {
  /// The parameters by which a run gives its statements what rules make.
  var runParameters: [RunParameter] {
    plan.nodes.flatMap { node in
      node.attributes.compactMap { planned in
        planned.rule.takesInstant
          ? RunParameter(dates: mapping[node.entity].attributes[planned.attribute.name]!.dates) : nil
      }
    }.uniqued()
  }
}
