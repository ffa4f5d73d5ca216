import GRDB
import MOCloneKit
import Testing

@Suite("Foreign keys that the model does not name, in copies")
struct UnnamedReferenceTests {
  private static let model = """
    entities:
      Project:
        attributes: {name: String}
        relationships: {notes: {destination: Note, toMany: true, inverse: project}}
        uniquenessConstraints: [[name]]
      Note:
        attributes: {text: String}
        relationships: {project: {destination: Project, inverse: notes}}
    """

  private static let tables = """
    CREATE TABLE person(id INTEGER PRIMARY KEY, name TEXT);
    CREATE TABLE project(id INTEGER PRIMARY KEY, name TEXT UNIQUE, owner INTEGER REFERENCES person, extra TEXT);
    CREATE TABLE note(id INTEGER PRIMARY KEY, text TEXT, project_id INTEGER NOT NULL REFERENCES project,
      author INTEGER REFERENCES person);
    """

  private func graphs() throws -> (source: SQLiteGraph, target: SQLiteGraph, rows: StoreFixture) {
    let source = try StoreFixture(
      Self.model,
      Self.tables
        + """
        INSERT INTO person VALUES (1, 'Ann');
        INSERT INTO project VALUES (1, 'a', 1, 'x'), (2, 'b', NULL, 'y');
        INSERT INTO note VALUES (1, 's', 1, 1), (2, 't', 1, 1), (3, 'u', 2, NULL);
        """)
    let target = try StoreFixture(
      Self.model,
      Self.tables + "INSERT INTO person VALUES (1, 'Eve'); INSERT INTO project VALUES (7, 'b', 1, 'z');")
    return (
      SQLiteGraph(source.writer, model: source.model), SQLiteGraph(target.writer, model: target.model), target
    )
  }

  private static func left(_ column: String, of table: String, count: Int) -> TransferReport.Skipped {
    TransferReport.Skipped(
      place: "the column '\(column)' of the table '\(table)'",
      reason: "it is a foreign key that the model does not name, so it is left empty (new objects: \(count))")
  }

  @Test("They do not lead to strangers of the target, and the report says how many are empty")
  func copies() throws {
    let (source, target, rows) = try graphs()
    let report = try target.copy(from: source)
    #expect(
      report.skipped == [
        Self.left("owner", of: "project", count: 1), Self.left("author", of: "note", count: 2),
      ])
    #expect(try rows.rows("SELECT name, owner IS NULL, extra FROM project ORDER BY 1") == ["a|1|x", "b|0|z"])
    #expect(try rows.rows("SELECT count(author) FROM note") == ["0"])
  }

  @Test("A subtree cut out says so of what is cut out")
  func cuts() throws {
    let (source, target, rows) = try graphs()
    try rows.execute("DELETE FROM project")
    let plan = try ClonePlan(model: source.model, entity: "Project")
    func skipped(_ key: Int) throws -> [TransferReport.Skipped]? {
      try target.clone(plan, roots: [ObjectID("Project", key: ObjectKey(key))], from: source).report.skipped
    }
    #expect(try skipped(2) == nil)
    #expect(try skipped(1)?.map(\.place).count == 2)
  }

  @Test("One that the model has as an attribute may lead to others, and the report says so")
  func unfollowed() throws {
    let model = """
      entities:
        Vehicle:
          attributes: {plate: String}
          uniquenessConstraints: [[plate]]
        Ride:
          attributes: {name: String, vehicleId: Integer 64?}
          uniquenessConstraints: [[name]]
      """
    let tables = """
      CREATE TABLE vehicle(id INTEGER PRIMARY KEY, plate TEXT UNIQUE);
      CREATE TABLE ride(id INTEGER PRIMARY KEY, name TEXT UNIQUE, vehicle_id INTEGER REFERENCES vehicle);
      INSERT INTO vehicle VALUES (1, 'A');

      """
    let source = try StoreFixture(model, tables + "INSERT INTO ride VALUES (1, 'x', 1), (2, 'y', NULL);")
    let target = try StoreFixture(model, tables)
    let graph = SQLiteGraph(target.writer, model: target.model)
    let report = try graph.copy(from: SQLiteGraph(source.writer, model: source.model))
    #expect(report.skipped?.map(\.place) == ["the foreign key (vehicle_id) of the table 'ride'"])
    #expect(report.skipped?.first?.reason.contains("(1)") == true)
    #expect(try graph.lacking(of: SQLiteGraph(source.writer, model: source.model), seeded: report).count == 1)
  }
}
