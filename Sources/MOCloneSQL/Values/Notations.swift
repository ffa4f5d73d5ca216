import MOCloneModel

/// In how many ways a database lets one value be written, where it has no type for it; the counterpart of the equality
/// of `AttributeValue` in memory.
package struct Notations: Sendable {
  /// Whether values of a column can be written in several ways.
  package var areSeveral: @Sendable (AttributeColumn) -> Bool = { _ in false }
  /// A value in the one form that equal values share.
  package var canonical: @Sendable (AttributeColumn, _ value: String) -> String = { $1 }
  /// What sorts values in that form, the first that differs.
  package var canonicalOrder: @Sendable (AttributeColumn, _ value: String) -> [String] = { [$1] }
  /// A value in that form, for people.
  package var shown: @Sendable (AttributeColumn, _ value: String) -> String = { $1 }
  /// What sorts values, the first that differs: numbers as numbers.
  package var order: @Sendable (AttributeColumn, _ value: String) -> [String] = { [$1] }
  /// A column that holds a value of any notation, so that an index of it serves; nil where none does.
  package var lookedUp: @Sendable (AttributeColumn, _ column: String, _ value: String) -> Condition? = {
    .sql("\($1) = \($2)")
  }

  package init() {}
}

/// When two stored values of an attribute are equal, whatever notation each is written in: the one place that says so.
extension Dialect {
  package func hasNotations(_ column: AttributeColumn) -> Bool { self.notations.areSeveral(column) }

  /// The value of a column in the one form that equal values share.
  package func canonical(_ sql: String, _ column: AttributeColumn?) -> String {
    guard let column, hasNotations(column) else { return sql }
    return self.notations.canonical(column, sql)
  }

  /// What sorts the values of a column, whatever notation each is written in, and by bytes where it has one.
  package func order(_ sql: String, _ column: AttributeColumn, as schema: ColumnSchema) -> [String] {
    let values = self.notations.order(column, sql)
    return self.hasTypes && hasNotations(column) ? values : values.map { bytewise($0, column: schema) }
  }

  /// Whether an index of the column finds a value in every notation.
  package func isFoundByIndex(_ column: AttributeColumn) -> Bool {
    !hasNotations(column) || self.notations.lookedUp(column, "x", "y") != nil
  }

  /// Whether a column holds a value of any notation; where `isFoundByIndex`, an index of the column serves.
  ///
  /// - Parameter isCanonical: whether the value is in the form that equal values share.
  package func equal(
    _ column: AttributeColumn, _ stored: String, _ value: String, isCanonical: Bool = false
  ) -> Condition {
    guard hasNotations(column) else { return .sql("\(stored) = \(value)") }
    return self.notations.lookedUp(column, stored, value)
      ?? .sql("\(canonical(stored, column)) = \(isCanonical ? value : canonical(value, column))")
  }

  /// What sorts values in the form that equal values share, the first that differs.
  package func canonicalOrder(_ sql: String, _ column: AttributeColumn) -> [String] {
    hasNotations(column) ? self.notations.canonicalOrder(column, sql) : [sql]
  }

  /// A value in the form that equal values share, for people.
  package func shown(_ sql: String, _ column: AttributeColumn?) -> String {
    guard let column, hasNotations(column) else { return sql }
    return self.notations.shown(column, sql)
  }
}

extension Notations {
  /// PostgreSQL's: what a type represents has one notation, but texts hold what programs write, and two widths of
  /// floating-point numbers differ.
  static let postgres: Notations = {
    var notations = Notations()
    notations.areSeveral = { column in
      guard let base = column.base else { return false }
      return switch column.type {
      case .uuid: TypedColumns.isText(base)
      // A day is compared as the moment at which it begins.
      case .date: TypedColumns.isText(base) || base == "date"
      case .decimal, .double: TypedColumns.isText(base) || ["float4", "money"].contains(base)
      case .float: TypedColumns.isText(base) || ["float4", "float8", "numeric", "money"].contains(base)
      case .string, .uri: base == "float4"
      case .boolean: TypedColumns.isInteger(base)
      default: false
      }
    }
    notations.canonical = { column, sql in
      // What a column of fixed length is filled up with is no part of its text.
      let text = "CAST(\(sql) AS text)"
      switch column.type {
      // Without hyphens a text is a UUID only where the column is said to hold such.
      case .uuid where column.uuids == .compactText: return hyphenated("upper(\(text))")
      case .uuid: return "upper(\(text))"
      case .boolean: return "CASE WHEN \(sql) <> 0 THEN 1 ELSE \(sql) END"
      case .date where column.base == "date": return "CAST(\(sql) AS timestamptz)"
      case _ where column.base == "money": return "CAST(\(sql) AS numeric)"
      case .date: return isDate(text).choose(moment(text), else: "NULL")
      case _ where column.base.map(TypedColumns.isText) == true:
        return isNumber(text).choose("CAST(trim_scale(CAST(\(text) AS numeric)) AS text)", else: "NULL")
      case .float: return float(sql)
      // As it is read: the digits that tell it from every other one of its width.
      default: return "CAST(\(text) AS double precision)"
      }
    }
    let (canonical, areSeveral) = (notations.canonical, notations.areSeveral)
    notations.order = { column, sql in
      guard areSeveral(column) else { return [sql] }
      let value = canonical(column, sql)
      guard column.base.map(TypedColumns.isText) == true else { return [value] }
      let isNumeric = [.decimal, .double, .float].contains(column.type)
      return (isNumeric ? ["CAST(\(value) AS numeric)"] : []) + ["CAST(\(value) AS text) COLLATE \"C\""]
    }
    // Without the era, which sorts dates of texts.
    notations.shown = { column, value in
      guard column.type == .date, let base = column.base else { return value }
      if base == "date" { return "CAST(\(value) AS date)" }
      return TypedColumns.isText(base) ? "substr(\(value), 4)" : value
    }
    notations.lookedUp = { column, stored, value in
      column.base == "date" ? .sql("\(stored) = CAST(\(value) AS timestamptz)") : nil
    }
    return notations
  }()

  private static func hyphenated(_ text: String) -> String {
    let digits = [8, 4, 4, 4, 12].map { "([0-9A-F]{\($0)})" }.joined()
    return "regexp_replace(\(text), '^\(digits)$', '\\1-\\2-\\3-\\4-\\5')"
  }

  private static func isNumber(_ text: String) -> Condition {
    .sql("\(text) ~ '^[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]{1,3})?$'")
  }

  /// Whether a text is read as a date: PostgreSQL refuses others, and with them the statement.
  private static func isDate(_ text: String) -> Condition {
    let leapYear = "([0-9]{2}(0[48]|[2468][048]|[13579][26])|([02468][048]|[13579][26])00)"
    let days =
      "([0-9]{4}-(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|[0-9]{4}-(0[469]|11)-(0[1-9]|[12][0-9]|30)"
      + "|[0-9]{4}-02-(0[1-9]|1[0-9]|2[0-8])|\(leapYear)-02-29)"
    let time = "[T ]([01][0-9]|2[0-3]):[0-5][0-9](:[0-5][0-9]([.][0-9]+)?)?"
    let zone = " *(Z|[+-](0[0-9]|1[0-4])(:?[0-5][0-9])?)?"
    return .sql("\(text) ~ '^(?!0000)\(days)(\(time)\(zone))?$'")
  }

  /// A server counts microseconds; what stands behind them is told apart beside.
  private static func moment(_ text: String) -> String {
    let micros = "regexp_replace(\(text), '([.][0-9]{6})[0-9]+', '\\1')"
    let rest = "rtrim(substring(\(text) FROM '[.][0-9]{6}([0-9]+)'), '0')"
    return
      "to_char(CAST(\(micros) AS timestamptz) AT TIME ZONE 'UTC', 'AD YYYY-MM-DD HH24:MI:SS.US') || coalesce(\(rest), '')"
  }

  /// A number as one of single width, as `Double.single` has it.
  private static func float(_ sql: String) -> String {
    Condition.sql("abs(\(sql)) BETWEEN 1.1754943e-38 AND 3.4028235e38").choose(
      "CAST(CAST(\(sql) AS real) AS double precision)", else: "CAST(\(sql) AS double precision)")
  }

  /// SQLite's: its columns hold what programs write.
  static let sqlite: Notations = {
    var notations = Notations()
    notations.areSeveral = { column in
      switch column.type {
      case .uuid, .decimal, .boolean, .float: true
      case .date: !column.dates.isNumber
      case .binary, .transformable: column.isExternal
      default: false
      }
    }
    notations.canonical = { column, sql in
      switch column.type {
      case .uuid: uuid(sql, form: column.uuids)
      case .date: SQLiteDate(sql).canonical
      case .decimal: "moclone_decimal(\(sql))"
      case .float: "moclone_float(\(sql))"
      case .binary, .transformable: "moclone_external(\(sql), \(column.isInSource ? 1 : 0))"
      // A text is no Boolean, whatever it says.
      default: "CASE typeof(\(sql)) WHEN 'text' THEN \(sql) ELSE \(sql) <> 0 END"
      }
    }
    let (canonical, areSeveral) = (notations.canonical, notations.areSeveral)
    notations.order = { column, sql in
      if column.type == .date, areSeveral(column) {
        let date = SQLiteDate(sql)
        return [date.moment, date.rest]
      }
      let value = areSeveral(column) ? canonical(column, sql) : sql
      return column.type == .decimal ? ["CAST(\(value) AS REAL)", value] : [value]
    }
    notations.canonicalOrder = { $0.type == .date ? SQLiteDate($1).order : [$1] }
    notations.shown = { $0.type == .date ? SQLiteDate($1).shown(as: $0.dates) : $1 }
    notations.lookedUp = { column, stored, value in
      guard column.type == .uuid else { return nil }
      let text = canonical(column, value)
      let compact = "moclone_uuid_as(\(text), 3)"
      return .among(
        stored,
        values: [text, "lower(\(text))", "moclone_uuid_as(\(text), 2)"]
          + (column.uuids == .compactText ? [compact, "upper(\(compact))"] : []))
    }
    return notations
  }()

  /// 36 characters in upper case. Without hyphens a text is a UUID only where the column is said to hold such.
  private static func uuid(_ sql: String, form: UUIDStorage) -> String {
    let text = "moclone_uuid_as(\(sql), 0)"
    let compact = form == .compactText ? "WHEN length(\(sql)) = 32 THEN upper(\(text)) " : ""
    return "CASE WHEN typeof(\(sql)) = 'blob' THEN \(text) \(compact)ELSE upper(\(sql)) END"
  }
}

/// SQL for a date in a text of SQLite, which counts milliseconds and rounds what stands behind them, as a server's dates have
/// it: that is told apart beside, to the last digit.
private struct SQLiteDate {
  let text: String
  /// Everything behind the milliseconds.
  private let tail: String

  init(_ sql: String) {
    text = sql
    tail = "substr(\(sql), 24)"
  }

  private var digits: String { "rtrim(substr(\(tail), 1, length(\(tail)) - length(\(zone))), '0')" }
  private var zone: String { "ltrim(\(tail), '0123456789')" }

  /// Whether it has digits there. One character tells most of those that have none, in a third of the time.
  var isLong: String {
    "substr(\(text), 24, 1) BETWEEN '0' AND '9' AND substr(\(text), 20, 5) GLOB '.[0-9][0-9][0-9][0-9]' AND \(digits) <> ''"
  }

  /// The date up to its milliseconds.
  private var short: String { "substr(\(text), 1, 23) || \(zone)" }
  private var day: String { "julianday(\(short))" }
  var rest: String { "CASE WHEN \(isLong) THEN \(digits) ELSE '' END" }

  /// The date without its rest, as a number.
  var moment: String { read { "CASE WHEN \($0.isLong) THEN \($0.day) ELSE julianday(\($0.text)) END" } }

  /// A number, or where that does not tell it from others, a text that is a date in this form again.
  var canonical: String {
    read {
      "CASE WHEN \($0.isLong) THEN strftime('%Y-%m-%d %H:%M:%f', \($0.short)) || \($0.digits) "
        + "ELSE julianday(\($0.text)) END"
    }
  }

  /// Whether it is a day that exists, with or without a time: SQLite takes a time for one of 2000, counts a day that a month
  /// has not from its first on, and passes over blanks.
  private var isDate: String {
    let (day, hour) = ("substr(\(text), 1, 10)", "substr(\(text), 11, 3)")
    return "typeof(\(text)) = 'text' AND \(text) GLOB '????-??-??*' "
      + "AND (substr(\(text), 9, 2) < '29' OR date(\(day), '+0 days') = \(day)) "
      + "AND (\(hour) = '' OR \(hour) BETWEEN ' 00' AND ' 23' OR \(hour) BETWEEN 'T00' AND 'T23') "
      + "AND (substr(\(text), -1) BETWEEN '0' AND 'Z' OR \(text) NOT GLOB '??????????*[^0-9:. T]*')"
  }

  /// SQLite reads no zone without a colon and minutes, which other programs write; they are looked for only then.
  private func read(_ value: (SQLiteDate) -> String) -> String {
    let whole =
      "CASE WHEN \(text) GLOB '*:*[+-][0-9][0-9]' THEN \(text) || ':00' "
      + "WHEN \(text) GLOB '*:*[+-][0-9][0-9][0-9][0-9]' "
      + "THEN substr(\(text), 1, length(\(text)) - 2) || ':' || substr(\(text), -2) END"
    return "CASE WHEN \(isDate) THEN coalesce(\(value(self)), \(value(SQLiteDate("(\(whole))")))) END"
  }

  /// What sorts canonical values.
  var order: [String] {
    [(day, text), (digits, "''")].map { "CASE typeof(\(text)) WHEN 'text' THEN \($0) ELSE \($1) END" }
  }

  /// A canonical value as moclone writes dates.
  func shown(as storage: DateStorage) -> String {
    let date =
      "CASE typeof(\(text)) WHEN 'text' THEN replace(\(text), ' ', 'T') || 'Z' ELSE strftime('%Y-%m-%dT%H:%M:%fZ', \(text)) END"
    return storage == .day ? "replace(\(date), '\(AttributeColumn.midnight)', '')" : date
  }
}
