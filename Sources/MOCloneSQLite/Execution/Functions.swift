import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// The SQL functions of a run, registered once on each connection that clones.
enum Functions {
  /// The generators of the runs under way, by the number that `moclone_uuid` is given.
  private static let generators = Locked<(next: Int64, active: [Int64: ValueGenerator])>((1, [:]))

  static func begin(_ generator: ValueGenerator) -> Int64 {
    generators.withLock { state in
      let run = state.next
      state.next += 1
      state.active[run] = generator
      return run
    }
  }

  static func end(_ run: Int64) {
    _ = generators.withLock { $0.active.removeValue(forKey: run) }
  }

  /// A function cannot be replaced while a statement of the connection runs, so it never is.
  static func register(in db: Database) throws {
    let exists = try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM pragma_function_list WHERE name = 'moclone_uuid')")
    guard exists != true else { return }
    try addUUID(to: db)
    try addUUIDForm(to: db)
    try addNumber(to: db)
    try addExternal(to: db)
    db.add(function: DatabaseFunction("moclone_convert", argumentCount: 3, pure: true, function: convert))
    db.add(function: DatabaseFunction("moclone_decimal", argumentCount: 1, pure: true, function: decimal))
    db.add(function: DatabaseFunction("moclone_float", argumentCount: 1, pure: true, function: float))
  }

  /// `moclone_uuid(run, form)` and `moclone_number()` are called for each new object, so they do without the values
  /// that GRDB would make.
  private static func addUUID(to db: Database) throws {
    try add("moclone_uuid", arguments: 2, to: db) { context, _, arguments in
      guard let arguments, let generator = Functions.generator(of: sqlite3_value_int64(arguments[0])) else {
        return sqlite3_result_error(context, "moclone_uuid is for clones under way", -1)
      }
      UUIDText(generator.uuid()).result(in: context, form: sqlite3_value_int(arguments[1]))
    }
  }

  /// `moclone_uuid_as(value, form)`: a UUID, text or blob, in one of the forms of storage; what is none stays as it is.
  private static func addUUIDForm(to db: Database) throws {
    try add("moclone_uuid_as", arguments: 2, isPure: true, to: db) { context, _, arguments in
      guard let arguments else { return }
      guard let uuid = UUIDText(arguments[0]) else { return sqlite3_result_value(context, arguments[0]) }
      uuid.result(in: context, form: sqlite3_value_int(arguments[1]))
    }
  }

  /// `moclone_external(value, isInSource)`: a value behind its mark, also where it is in a file beside the store, or beside
  /// the one that rows are copied from; where the file cannot be read, what names it.
  private static func addExternal(to db: Database) throws {
    // A file is written once and never changed.
    try add("moclone_external", arguments: 2, isPure: true, to: db) { context, _, arguments in
      guard let arguments, let value = arguments[0] else { return }
      let schema = sqlite3_value_int(arguments[1]) == 0 ? "main" : CopySource.schema
      let connection = sqlite3_context_db_handle(context)
      guard let content = Functions.content(of: value, beside: schema, in: connection) else {
        return sqlite3_result_value(context, value)
      }
      let bytes = Data([ExternalMark.inline]) + content
      bytes.withUnsafeBytes {
        sqlite3_result_blob64(context, $0.baseAddress, UInt64($0.count), RawValue.transient)
      }
    }
  }

  /// The file that a value names; nil where there is none.
  private static func content(
    of value: OpaquePointer, beside schema: String, in connection: OpaquePointer?
  ) -> Data? {
    guard sqlite3_value_type(value) == SQLITE_BLOB, let bytes = sqlite3_value_blob(value) else { return nil }
    // What is not in a file may be large.
    let start = Data(bytes: bytes, count: min(Int(sqlite3_value_bytes(value)), ExternalMark.length))
    guard let name = ExternalMark.file(in: start), let path = sqlite3_db_filename(connection, schema),
      path.pointee != 0
    else { return nil }
    return try? ExternalFiles(of: String(cString: path)).read(name)
  }

  /// `moclone_number()` counts on from what `moclone_count_from` was given last on the connection.
  private static func addNumber(to db: Database) throws {
    let counter = Counter()
    try add("moclone_count_from", arguments: 1, to: db, counter: counter) { context, _, arguments in
      Counter.of(context).number = sqlite3_value_int64(arguments![0])
    }
    try add("moclone_number", arguments: 0, to: db, counter: counter) { context, _, _ in
      let counter = Counter.of(context)
      counter.number += 1
      sqlite3_result_int64(context, counter.number)
    }
  }

  private final class Counter {
    var number: Int64 = 0

    static func of(_ context: OpaquePointer?) -> Counter {
      Unmanaged<Counter>.fromOpaque(sqlite3_user_data(context)).takeUnretainedValue()
    }
  }

  private typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private static func add(
    _ name: String, arguments: Int32, isPure: Bool = false, to db: Database, counter: Counter? = nil,
    function: Function
  ) throws {
    let code = sqlite3_create_function_v2(
      db.sqliteConnection, name, arguments, SQLITE_UTF8 | (isPure ? SQLITE_DETERMINISTIC : 0),
      counter.map { Unmanaged.passRetained($0).toOpaque() },
      function, nil, nil, { if let counter = $0 { Unmanaged<Counter>.fromOpaque(counter).release() } })
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  private static func generator(of run: Int64) -> ValueGenerator? {
    generators.withLock { $0.active[run] }
  }

  private static let convert: @Sendable ([DatabaseValue]) throws -> DatabaseValue? = { arguments in
    guard let from = String.fromDatabaseValue(arguments[1]).flatMap(StorageForm.init(name:)),
      let to = String.fromDatabaseValue(arguments[2]).flatMap(StorageForm.init(name:))
    else { return nil }
    let type: AttributeType =
      switch from {
      case .date: .date
      case .uuid: .uuid
      case .plain, .external, .typed: .binary
      }
    guard let value = ValueCoding(type: type, form: from).decode(arguments[0].stored) else {
      return arguments[0]
    }
    return ValueCoding(type: type, form: to).encode(value).databaseValue
  }

  /// The number that a `Float` is, which some programs store as it is and others as it was written; what is none stays.
  private static let float: @Sendable ([DatabaseValue]) throws -> DatabaseValue? = { arguments in
    guard case .double(let number) = arguments[0].storage else { return arguments[0] }
    return number.single.databaseValue
  }

  /// The one text of each decimal number; null for what is none.
  private static let decimal: @Sendable ([DatabaseValue]) throws -> DatabaseValue? = { arguments in
    ValueCoding(type: .decimal, form: .plain).decode(arguments[0].stored).map {
      $0.isNull ? .null : $0.description.databaseValue
    }
  }
}
