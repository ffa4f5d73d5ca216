import MOCloneEngine
import MOCloneModel
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(
  "References to unique keys that are renewed, in a server",
  .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct RenewedKeyTests {
  /// Entities that are identified by such a reference come first in the model.
  private static let model = """
    version: 1
    name: Clinic
    entities:
      Appointment:
        attributes: {note: String}
        relationships:
          doctor: {destination: Doctor, inverse: appointments, column: [{column: doctor_user_id, references: user_id}]}
        uniquenessConstraints: [[doctor]]
      Doctor:
        attributes: {spec: String}
        relationships:
          user: {destination: User, inverse: doctor}
          appointments: {destination: Appointment, toMany: true, inverse: doctor}
        uniquenessConstraints: [[spec], [user]]
      User:
        attributes: {name: String}
        relationships: {doctor: {destination: Doctor, optional: true, inverse: user}}
        uniquenessConstraints: [[name]]
    """

  private static let tables = """
    CREATE TABLE "user"(id bigserial PRIMARY KEY, name text NOT NULL UNIQUE);
    CREATE TABLE doctor(id bigserial PRIMARY KEY, spec text NOT NULL UNIQUE, user_id bigint NOT NULL UNIQUE REFERENCES "user");
    CREATE TABLE appointment(id bigserial PRIMARY KEY, note text, doctor_user_id bigint NOT NULL UNIQUE REFERENCES doctor(user_id));
    """

  @Test("What is identified by one is copied once its key is known, and found again")
  func identified() throws {
    let source = try DatabaseFixture(
      Self.model,
      Self.tables + """
        INSERT INTO "user"(name) VALUES ('a'), ('b'); INSERT INTO doctor(spec, user_id) VALUES ('sa', 1), ('sb', 2);
        INSERT INTO appointment(note, doctor_user_id) VALUES ('of a', 1), ('of b', 2);
        """)
    let target = try DatabaseFixture(
      Self.model,
      Self.tables + """
        INSERT INTO "user"(name) VALUES ('p'), ('q'), ('b'); INSERT INTO doctor(spec, user_id) VALUES ('sp', 1), ('sb', 3);
        INSERT INTO appointment(note, doctor_user_id) VALUES ('of p', 1);
        """)
    let report = try target.graph.copy(from: source.graph)
    #expect(report.skipped == nil && report.created == ["Appointment": 2, "Doctor": 1, "User": 1])
    let links = """
      SELECT a.note, u.name FROM appointment a JOIN doctor d ON d.user_id = a.doctor_user_id JOIN "user" u ON u.id = d.user_id
      ORDER BY 1
      """
    #expect(try target.rows(links) == ["of a|a", "of b|b", "of p|p"])
    #expect(try target.graph.copy(from: source.graph).changes == 0)
  }
}
