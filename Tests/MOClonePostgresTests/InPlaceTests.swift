import Foundation
import GRDB
import MOCloneKit
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres
@testable import MOCloneSQLite

/// Subtrees cut out of PostgreSQL: rows that are written as they stand come into their tables at once.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct InPlaceTests {
  private static let model = """
    version: 1
    name: Teams
    store: {naming: snakeCase}
    entities:
      Team:
        attributes: {name: String?}
        relationships:
          members: {destination: Member, toMany: true, inverse: team}
          skills: {destination: Skill, toMany: true, inverse: teams}
      Member:
        attributes: {name: String?}
        relationships: {team: {destination: Team, inverse: members}}
      Skill:
        attributes: {name: String?}
        relationships: {teams: {destination: Team, toMany: true, inverse: skills}}
    """
  private static let tables = """
    CREATE TABLE team(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE member(id INTEGER PRIMARY KEY, name TEXT, team_id INTEGER NOT NULL REFERENCES team(id));
    CREATE TABLE skill(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE skill_team(team_id INTEGER REFERENCES team(id), skill_id INTEGER REFERENCES skill(id),
      PRIMARY KEY (team_id, skill_id));
    """
  private struct Outcome {
    var rows: [String] = []
    /// The tables that were staged in temporary ones.
    var staged: [String] = []
    var error: CloneError?
  }

  private let model: ObjectModel
  private let source: PostgresGraph
  private let reds: ObjectID

  init() throws {
    model = try ObjectModel(yaml: Self.model)
    let source = try TestStores.shared.make(model)
    let skill = try source.insert("Skill", ["name": "passing"])
    let teams = try ["reds", "blues"].map { try source.insert("Team", ["name": .string($0)]) }
    for (team, names) in zip(teams, [["007", "007"], ["other"]]) {
      try source.addDestination(skill.id, to: "skills", of: team.id)
      for name in names {
        try source.insert("Member", ["name": .string(name), "team": team.id.key.reference])
      }
    }
    (self.source, reds) = (source, teams[0].id)
  }

  /// Cuts a team out into a store whose tables may be declared otherwise.
  private func cloneSubtree(into changed: (String) -> String = { $0 }) throws -> Outcome {
    let path = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID()).sqlite").path
    defer { try? FileManager.default.removeItem(atPath: path) }
    try DatabaseQueue(path: path).write { try $0.execute(sql: changed(Self.tables)) }
    let target = try SQLiteGraph(path: path, model: model)
    return try cloneSubtree(into: target)
  }

  private func cloneSubtree(into target: SQLiteGraph) throws -> Outcome {
    let plan = try ClonePlan(model: model, entity: "Team")
    var outcome = Outcome()
    do {
      _ = try target.clone(
        plan, roots: [reds], from: source, SubtreeRequest(missing: .create, keepsKeys: true))
    } catch let error as CloneError { outcome.error = error }
    try target.read { access in
      func texts(_ sql: String) throws -> [String] {
        try Row.fetchAll(access.db, sql: sql).map { row in
          row.databaseValues.map { "\($0)".replacing("\"", with: "") }.joined(separator: "|")
        }
      }
      outcome.staged = try texts(
        "SELECT name FROM sqlite_temp_schema WHERE name LIKE 'moclone_copy_source%' AND type = 'table'")
      for table in ["team", "member", "skill", "skill_team"] {
        outcome.rows += try texts("SELECT * FROM \(table)").map { "\(table) \($0)" }
      }
    }
    return outcome
  }

  @Test func membersAndTheirPairsNeedNoTableOfTheirOwn() throws {
    let outcome = try cloneSubtree()
    #expect(outcome.error == nil)
    #expect(
      outcome.rows == [
        "team 1|reds", "member 1|007|1", "member 2|007|1", "skill 1|passing", "skill_team 1|1",
      ])
    #expect(outcome.staged.count == 1)
  }

  @Test func aTextThatAColumnWouldTurnIntoANumberIsRefused() throws {
    let outcome = try cloneSubtree {
      $0.replacing(
        "member(id INTEGER PRIMARY KEY, name TEXT", with: "member(id INTEGER PRIMARY KEY, name NUMERIC")
    }
    #expect(outcome.error?.code == .storeMismatch)
    #expect(outcome.rows.isEmpty)
  }

  @Test func whatTheStoreRefusesIsToldAsOfRowsThatAreStagedElsewhere() throws {
    let outcome = try cloneSubtree {
      $0.replacing(
        "member(id INTEGER PRIMARY KEY, name TEXT", with: "member(id INTEGER PRIMARY KEY, name TEXT UNIQUE")
    }
    #expect(outcome.error?.code == .uniqueValue)
    #expect(outcome.error?.failures.first?.entity == "Member")
    #expect(outcome.rows.isEmpty)
  }

  @Test func aColumnThatReplacesConflictingRowsReplacesNone() throws {
    let outcome = try cloneSubtree {
      $0.replacing(
        "member(id INTEGER PRIMARY KEY, name TEXT",
        with: "member(id INTEGER PRIMARY KEY, name TEXT UNIQUE ON CONFLICT REPLACE")
    }
    #expect(outcome.error?.code == .uniqueValue)
    #expect(outcome.rows.isEmpty)
  }

  @Test func aTriggerSeesTheRowsOfOtherTablesAsEver() throws {
    let outcome = try cloneSubtree {
      $0 + """
        CREATE TRIGGER named AFTER INSERT ON skill BEGIN
          UPDATE skill SET name = name || (SELECT count(*) FROM member) WHERE id = NEW.id;
        END;
        """
    }
    #expect(outcome.error == nil)
    #expect(outcome.staged.count == 4)
  }

  @Test func aSelectionBehindACutOutInOneTransactionTakesEachObjectOnce() throws {
    let skills = try source.objectIDs("Skill")
    try source.connection.inTransaction {
      #expect(try cloneSubtree().error == nil)
      let queue = try DatabaseQueue()
      try queue.write { try $0.execute(sql: Self.tables) }
      let request = CopyRequest(entities: ["Team", "Member"])
      let report = try SQLiteGraph(queue, model: model).copy(from: source, request)
      #expect(report.created == ["Team": 2, "Member": 3, "Skill": skills.count])
      #expect(try cloneSubtree().error == nil)
    }
  }

  @Test func theServersMemoryForSortingIsAsItWasAfterwards() throws {
    let connection = source.connection
    try connection.inTransaction {
      try connection.run("SET LOCAL work_mem = '1MB'")
      #expect(try cloneSubtree().error == nil)
      #expect(try connection.rows("SELECT current_setting('work_mem')") == [[.text("1MB")]])
    }
  }

  @Test func whatIsWrittenOnAnAppsConnectionIsObserved() throws {
    let queue = try DatabaseQueue()
    try queue.write { try $0.execute(sql: Self.tables) }
    let observer = Observer()
    queue.add(transactionObserver: observer)
    let outcome = try cloneSubtree(into: SQLiteGraph(queue, model: model))
    #expect(outcome.error == nil)
    #expect(outcome.staged.count == 4)
    #expect(observer.inserted["member"] == 2)
    #expect(observer.inserted["skill_team"] == 1)
  }

  private final class Observer: TransactionObserver {
    var inserted: [String: Int] = [:]
    func observes(eventsOfKind eventKind: DatabaseEventKind) -> Bool { true }
    func databaseDidChange(with event: DatabaseEvent) { inserted[event.tableName, default: 0] += 1 }
    func databaseDidCommit(_ db: Database) {}
    func databaseDidRollback(_ db: Database) {}
  }
}
