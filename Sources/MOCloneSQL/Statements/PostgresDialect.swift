import Foundation
import MOCloneModel

extension Dialect {
  /// PostgreSQL's: typed columns, keys from sequences, temporary tables that end with their transaction.
  package static let postgres = Dialect(.postgres)

  /// The same with UUIDs that the client makes: `$uuids` is an array of them, and a sequence of the session counts those
  /// that were taken.
  package static let postgresWithGivenUUIDs: Dialect = {
    var spelling = SQLSpelling.postgres
    spelling.id += " with given UUIDs"
    // Where they are too few all is taken back, and until then a column may have to hold one.
    let uuid = "COALESCE((CAST($uuids AS uuid[]))[nextval('\(uuidSequence)')], gen_random_uuid())"
    spelling.newUUID = { SQLSpelling.uuid(uuid, as: $0, in: $1) }
    return Dialect(spelling)
  }()

  /// The same for what only looks: no sequence is moved on, as a read-only server could not.
  package static let postgresForLooking: Dialect = {
    var spelling = SQLSpelling.postgres
    spelling.id += " for looking"
    spelling.newKey = { _ in "0" }
    return Dialect(spelling)
  }()

  /// What counts the given UUIDs that were taken.
  package static let uuidSequence = "pg_temp.moclone_uuids"
}

extension SQLSpelling {
  fileprivate static let postgres: SQLSpelling = {
    var spelling = SQLSpelling(
      id: "postgresql",
      // A number that is too great is an error there.
      isNoInteger: { _ in "FALSE" },
      literal: { literal($0) },
      newUUID: { uuid("gen_random_uuid()", as: $0, in: $1) },
      convert: { value, _, _ in value },
      collate: { sql, collation in
        ["BINARY", "citext"].contains(collation)
          ? sql : "\(sql) COLLATE \"\(collation.replacing("\"", with: "\"\""))\""
      },
      rowNumber: "row_number() OVER ()")
    spelling.schemas = ("", "pg_temp.", "")
    spelling.columnType = { $0.openType }
    spelling.notations = .postgres
    spelling.storesZeros = false
    spelling.parameterSign = "$"
    spelling.insertsTogether = true
    // As a literal 'now' becomes a constant when the statement is analysed.
    spelling.analysed = "CAST('now' AS timestamp with time zone)"
    spelling.endOfTemporaryTable = " ON COMMIT DROP"
    spelling.overriding = "OVERRIDING SYSTEM VALUE "
    spelling.cascades = { cascades(of: $0) }
    spelling.unusedValue = { unused($0) }
    spelling.advance = { sequence, table, column in
      // Some sequences count downwards.
      let ends =
        "SELECT q.seqincrement < 0 AS falls, CASE WHEN q.seqincrement < 0 THEN (SELECT min(\(column)) FROM \(table)) "
        + "ELSE (SELECT max(\(column)) FROM \(table)) END AS n "
        + "FROM pg_catalog.pg_sequence q WHERE q.seqrelid = \(sequence)::regclass"
      let last = "coalesce(pg_sequence_last_value(\(sequence)), 0)"
      return "SELECT setval(\(sequence), n::bigint) FROM (\(ends)) m "
        + "WHERE CASE WHEN falls THEN n < \(last) ELSE n > \(last) END"
    }
    spelling.columnTransfer = { columnTransfer($0, columnTransfer: $1) }
    spelling.updateEachOrSkip = { eachOrSkip($0, rows: $1, condition: $2) }
    return spelling
  }()

  /// A UUID as a column holds it: texts as the model says, and types their own.
  fileprivate static func uuid(_ uuid: String, as storage: UUIDStorage, in column: ColumnSchema?) -> String {
    if column?.base == "bytea" { return "uuid_send(\(uuid))" }
    guard storage.isWritten(in: column?.base) else { return uuid }
    let text = "CAST(\(uuid) AS text)"
    return switch storage {
    case .text: "upper(\(text))"
    case .compactText: "replace(\(text), '-', '')"
    case .lowercaseText, .blob: text
    }
  }

  /// Types that round what they are given or cut it off, which the server says nothing of, and those that are too narrow
  /// for it, of which it names no row.
  private static func columnTransfer(_ value: String, columnTransfer: ColumnTransfer) -> (
    value: String, isLost: Condition
  )? {
    let target = columnTransfer.target
    guard target.type != columnTransfer.source.type,
      let isLost = isLost(value, columnTransfer: columnTransfer)
    else { return nil }
    return ("CAST(\(value) AS \(target.plainType))", isLost)
  }

  private static func isLost(_ value: String, columnTransfer: ColumnTransfer) -> Condition? {
    let target = columnTransfer.target
    let limits = target.limits
    // As `ColumnSchema.staged` has what would be rounded.
    let isExact = columnTransfer.source.type == "numeric"
    // Not the type itself: a domain may refuse values, and names no row.
    let differs = "CAST(\(value) AS \(target.plainType)) <> \(value)"
    switch target.base {
    case "int2": return .sql("\(value) NOT BETWEEN -32768 AND 32767")
    case "int4": return .sql("\(value) NOT BETWEEN -2147483648 AND 2147483647")
    case "varchar" where limits.count == 1, "bpchar" where limits.count == 1:
      return .sql("char_length(\(value)) > \(limits[0])")
    case "name": return .sql("octet_length(\(value)) > 63")
    case "char": return .sql("octet_length(\(value)) > 1")
    case "numeric" where !limits.isEmpty:
      let scale = limits.count > 1 ? limits[1] : 0
      return .sql(
        "(\(value) <> 'NaN' AND (abs(\(value)) >= 1e\(limits[0] - scale) OR round(\(value), \(scale)) <> \(value)))"
      )
    case "money" where isExact:
      // NaN is greater than every number.
      let kept = "CAST(CAST(\(value) AS money) AS numeric)"
      return .sql("CASE WHEN abs(\(value)) > 92233720368547758.07 THEN TRUE ELSE \(kept) <> \(value) END")
    case "float4" where isExact:
      return isRounded(value, to: "real", greatest: "3.4028235e38", least: "7.1e-46")
    case "float8" where isExact:
      return isRounded(
        value, to: "double precision", greatest: "1.7976931348623157e308", least: "5e-324")
    case "float4":
      let isTooGreat = "abs(\(value)) > 3.4028235e38 AND abs(\(value)) NOT IN ('Infinity', 'NaN')"
      let isTooSmall = "\(value) <> 0 AND abs(\(value)) < 7.1e-46"
      // It is read by the digits that tell it from every other one.
      let kept = "CAST(CAST(CAST(\(value) AS real) AS text) AS double precision)"
      // A `Float` has the digits of one whatever is written, but a whole number is meant to the last one.
      let isWhole =
        "\(value) = trunc(\(value)) AND CAST(CAST(\(value) AS real) AS double precision) <> \(value)"
      let isMeant = columnTransfer.attribute?.type == .double ? "TRUE" : isWhole
      return .sql(
        "CASE WHEN \(isTooGreat) OR \(isTooSmall) THEN TRUE ELSE \(kept) <> \(value) AND \(isMeant) END")
    case "timestamp" where !limits.isEmpty, "timestamptz" where !limits.isEmpty, "time" where !limits.isEmpty,
      "timetz" where !limits.isEmpty, "interval" where target.plainType != target.openType:
      return .sql(differs)
    case "date": return .sql(differs)
    default: return nil
    }
  }

  /// Whether a type of real numbers gives a decimal or a whole number back as another one: it is read by the digits that tell it from every
  /// other number, while a cast alone keeps fewer.
  private static func isRounded(
    _ value: String, to type: String, greatest: String, least: String
  ) -> Condition {
    let isSpecial = "CAST(\(value) AS text) IN ('NaN', 'Infinity', '-Infinity')"
    let isOutOfRange = "abs(\(value)) > \(greatest) OR (\(value) <> 0 AND abs(\(value)) < \(least))"
    let kept = "CAST(CAST(CAST(\(value) AS \(type)) AS text) AS numeric)"
    return .sql(
      "CASE WHEN \(isSpecial) THEN FALSE WHEN \(isOutOfRange) THEN TRUE ELSE \(kept) <> \(value) END")
  }

  /// A conflict takes a whole statement back, so only after one the rows are changed one by one.
  private static func eachOrSkip(_ update: String, rows: String, condition: String) -> String {
    let conflict = "EXCEPTION WHEN unique_violation OR exclusion_violation THEN"
    return """
      DO $moclone$ DECLARE r record; BEGIN
        BEGIN \(update) WHERE \(condition);
        \(conflict)
          FOR r IN SELECT x.ctid AS place, x.tableoid AS part FROM \(rows) WHERE \(condition) LOOP
            BEGIN \(update) WHERE x.ctid = r.place AND x.tableoid = r.part;
            \(conflict) NULL;
            END;
          END LOOP;
        END;
      END $moclone$
      """
  }

  /// A partition counts as its table. The server deletes rows that the role may not see, too.
  private static func cascades(of tables: [String]) -> String {
    let known = tables.map {
      "(\(Dialect.postgres.text($0)), to_regclass(\(Dialect.postgres.text(Dialect.postgres.table($0)))))"
    }
    func name(_ alias: String, of table: String) -> String {
      "coalesce(\(alias).name, \(table)::regclass::text)"
    }
    func root(_ table: String) -> String { "coalesce(pg_partition_root(\(table)), \(table))" }
    let (parent, child) = (root("c.confrelid"), root("c.conrelid"))
    return "WITH m(name, id) AS (VALUES \(known.list)) "
      + "SELECT \(name("p", of: parent)), \(name("k", of: child)), format('%I.%I', n.nspname, t.relname), "
      + "has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(t.oid, 'SELECT') AND NOT row_security_active(t.oid) "
      + "FROM pg_catalog.pg_constraint c JOIN pg_catalog.pg_class t ON t.oid = \(child) "
      + "JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace "
      + "LEFT JOIN m p ON p.id = \(parent) LEFT JOIN m k ON k.id = t.oid "
      + "WHERE c.contype = 'f' AND c.confdeltype = 'c' AND c.conparentid = 0"
  }

  private static func unused(_ column: ColumnSchema) -> String {
    switch column.affinity {
    case "INTEGER": column.base == "int2" ? "-trunc(random() * 32768)" : "-trunc(random() * 2147483648)"
    case "REAL", "NUMERIC": "-random()"
    // The cast cuts it to what the column has room for.
    case "TEXT": "CAST(CAST(gen_random_uuid() AS text) AS \(column.limitedBase ?? "text"))"
    default: column.base == "uuid" ? "gen_random_uuid()" : "NULL"
    }
  }

  private static func literal(_ value: StoredValue) -> String {
    switch value {
    case .null: "NULL"
    case .integer(let number): String(number)
    case .real(let number): "CAST('\(number)' AS double precision)"
    case .text(let text): Dialect.postgres.text(text)
    case .blob(let bytes): "CAST('\(bytes.hexadecimalText)' AS bytea)"
    }
  }
}
