import Foundation
import GRDB
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
    db.add(function: DatabaseFunction("moclone_uuid", argumentCount: 2, pure: false, function: newUUID))
    db.add(function: DatabaseFunction("moclone_convert", argumentCount: 3, pure: true, function: convert))
  }

  private static let newUUID: @Sendable ([DatabaseValue]) throws -> DatabaseValue? = { arguments in
    guard let run = Int64.fromDatabaseValue(arguments[0]),
      let form = String.fromDatabaseValue(arguments[1]).flatMap(StorageForm.init(name:)),
      let generator = generators.withLock({ $0.active[run] })
    else { throw DatabaseError(message: "moclone_uuid is for clones under way") }
    return ValueCoding(type: .uuid, form: form).encode(.uuid(generator.uuid()))
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
