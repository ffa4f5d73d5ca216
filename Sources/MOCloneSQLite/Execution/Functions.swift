import Foundation
import GRDB
import GRDBSQLite
import MOCloneEngine
import MOCloneModel
import Synchronization

/// The SQL functions of a run, registered once on each connection that clones.
enum Functions {
  /// The generators of the runs under way, by the number that `moclone_uuid` is given.
  private static let generators = Mutex<(next: Int64, active: [Int64: ValueGenerator])>((1, [:]))

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
    let isThere = try Bool.fetchOne(
      db, sql: "SELECT EXISTS (SELECT 1 FROM pragma_function_list WHERE name = 'moclone_uuid')")
    guard isThere != true else { return }
    try addUUID(to: db)
    db.add(function: DatabaseFunction("moclone_convert", argumentCount: 3, pure: true, function: convert))
  }

  /// `moclone_uuid(run, form)` is called for each new object, so it does without the values that GRDB would make.
  private static func addUUID(to db: Database) throws {
    let code = sqlite3_create_function_v2(
      db.sqliteConnection, "moclone_uuid", 2, SQLITE_UTF8, nil,
      { context, _, arguments in
        guard let arguments,
          let generator = Functions.generator(of: sqlite3_value_int64(arguments[0]))
        else { return sqlite3_result_error(context, "moclone_uuid is for clones under way", -1) }
        UUIDText(generator.uuid()).result(in: context, form: sqlite3_value_int(arguments[1]))
      }, nil, nil, nil)
    guard code == SQLITE_OK else { throw DatabaseError(resultCode: ResultCode(rawValue: code)) }
  }

  private static func generator(of run: Int64) -> ValueGenerator? {
    generators.withLock { $0.active[run] }
  }

  private static let convert: @Sendable ([DatabaseValue]) throws -> DatabaseValue? = { arguments in
    guard let from = String.fromDatabaseValue(arguments[1]).flatMap(StorageForm.init(name:)),
      let to = String.fromDatabaseValue(arguments[2]).flatMap(StorageForm.init(name:))
    else { return nil }
    let type: AttributeType = if case .date = from { .date } else { .uuid }
    guard let value = ValueCoding(type: type, form: from).decode(arguments[0]) else { return arguments[0] }
    return ValueCoding(type: type, form: to).encode(value)
  }
}
