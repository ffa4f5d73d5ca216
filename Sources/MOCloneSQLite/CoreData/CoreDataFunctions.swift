import Foundation
import GRDB
import MOCloneSQL

/// The functions that triggers of a Core Data store call, which SQLite does not have: those that keep derived attributes.
struct CoreDataFunctions {
  let db: Database

  /// Adds what the triggers of the store call and the connection does not know; once for each connection.
  ///
  /// A function of which only the name is known stays missing, so that SQLite refuses inserts that would run it.
  func register() throws {
    let known = try String.fetchSet(db, sql: "SELECT lower(name) FROM pragma_function_list")
    for name in try called() where !known.contains(name.lowercased()) {
      if let function = function(name) { db.add(function: function) }
    }
  }

  /// The names of Core Data's own functions in the triggers of the store.
  private func called() throws -> Set<String> {
    let triggers = try String.fetchAll(
      db, sql: "SELECT sql FROM main.sqlite_schema WHERE type = 'trigger' AND sql IS NOT NULL")
    return triggers.reduce(into: []) { names, sql in
      let tokens = SQLToken.all(in: sql).map { String($0.text) }
      for (name, next) in zip(tokens, tokens.dropFirst()) where next == "(" && name.hasPrefix("NS") {
        names.insert(name)
      }
    }
  }

  private func function(_ name: String) -> DatabaseFunction? {
    switch name {
    case "NSCoreDataNow":
      DatabaseFunction(name, argumentCount: 0) { _ in Date().timeIntervalSinceReferenceDate }
    case "NSCoreDataToUpper": text(name) { $0.uppercased() }
    case "NSCoreDataToLower": text(name) { $0.lowercased() }
    // They tell the objects of a running app of the new value; nobody runs here.
    case "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
      "NSCoreDataDATriggerUpdatedAffectedObjectValue",
      "NSCoreDataTriggerUpdateAffectedObjectValue":
      DatabaseFunction(name) { _ in nil }
    default: nil
    }
  }

  private func text(_ name: String, change: @escaping @Sendable (String) -> String) -> DatabaseFunction {
    DatabaseFunction(name, argumentCount: 1, pure: true) { String.fromDatabaseValue($0[0]).map(change) }
  }
}
