import Foundation
import MOCloneSQL
import MOCloneYAML
import TestSupport
import Testing

@testable import MOClonePostgres

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.comment)"))
struct SchemaWriterTests {
  private let database: TestDatabase
  private let connection: PostgresConnection

  init() throws {
    database = try TestDatabase()
    connection = try database.connect()
  }

  private static let model = """
    version: 1
    name: Test
    entities:
      Node:
        attributes:
          name: {type: String, default: "it's"}
          uuid: UUID?
          date: Date?
          isOn: {type: Boolean, default: true}
          price: Decimal?
          size: {type: Double, default: 1.5}
          data: Binary?
          small: {type: Integer 16, optional: true}
          count: {type: Integer 64, default: 7}
        relationships:
          parent: {destination: Node, optional: true, inverse: children}
          children: {destination: Node, toMany: true, ordered: true, inverse: parent, deleteRule: cascade}
          tags: {destination: Tag, toMany: true, inverse: nodes}
          owner: {destination: Owner, inverse: nodes}
        uniquenessConstraints: [[uuid], [owner, name]]
      Tag:
        attributes: {name: String}
        relationships:
          nodes: {destination: Node, toMany: true, inverse: tags}
      Owner:
        attributes: {name: String}
        relationships:
          nodes: {destination: Node, toMany: true, inverse: owner, deleteRule: deny}
          favourite: {destination: Node, optional: true}
    """

  private func schema(_ yaml: String) throws -> StoreSchema {
    let model = try ObjectModel(yaml: yaml)
    try PostgresGraph(connection, model: model).createTables()
    let tables = try connection.rows(
      "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace")
    return try PostgresSchemaReader(connection).schema(of: tables.compactMap { $0[0].string })
  }

  @Test func columnsHaveTheTypesOfPostgreSQL() throws {
    let node = try #require(try schema(Self.model)["node"])
    let types = Dictionary(uniqueKeysWithValues: node.columns.map { ($0.name, $0.type) })
    #expect(
      types == [
        "id": "bigint", "name": "text", "uuid": "uuid", "date": "timestamp with time zone",
        "is_on": "boolean",
        "price": "numeric", "size": "double precision", "data": "bytea", "small": "smallint",
        "count": "bigint",
        "parent_id": "bigint", "parent_id_order": "bigint", "owner_id": "bigint",
      ])
    #expect(node.column("id")?.sequence == "'public.node_id_seq'")
    let required = node.columns.filter(\.isRequired).map(\.name)
    #expect(Set(required) == ["id", "name", "is_on", "size", "count", "owner_id"])
    try connection.run("INSERT INTO owner(name) VALUES ('o'); INSERT INTO node(owner_id) VALUES (1)")
    #expect(
      try connection.rows("SELECT name, is_on, size, count FROM node") == [
        [.text("it's"), .integer(1), .real(1.5), .integer(7)]
      ])
  }

  @Test func foreignKeysCanWaitAndHaveDeleteRulesAndIndexes() throws {
    let schema = try schema(Self.model)
    let node = try #require(schema["node"])
    let actions = Dictionary(uniqueKeysWithValues: node.foreignKeys.map { ($0.columns[0], $0.onDelete) })
    #expect(actions == ["parent_id": "CASCADE", "owner_id": "RESTRICT"])
    #expect(schema["owner"]?.foreignKeys.map(\.onDelete) == ["SET NULL"])
    for name in schema.names {
      let table = schema[name]!
      #expect(!table.foreignKeys.map(\.isDeferrable).contains(false))
      for key in table.foreignKeys {
        #expect(table.indexes.contains { $0.columns.first?.name == key.columns[0] })
      }
    }
    #expect(node.uniqueColumns == [["id"], ["owner_id", "name"], ["uuid"]])
  }

  @Test func aJoinTableHasTheKeyOfBothSides() throws {
    let schema = try schema(Self.model)
    let join = try #require(
      schema.names.compactMap { schema[$0] }.first { $0.columns.count == 2 && $0.foreignKeys.count == 2 })
    #expect(join.primaryKey.count == 2)
    #expect(Set(join.foreignKeys.map(\.table)) == ["node", "tag"])
    #expect(join.foreignKeys.map(\.onDelete) == ["CASCADE", "CASCADE"])
  }

  @Test(arguments: ["HealthNotes", "Chinook", "Northwind"])
  func theModelsOfTheProjectHaveATableForEachEntity(_ name: String) throws {
    let file = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../Models/\(name).yml")
      .standardized
    let model = try ObjectModel(contentsOf: file)
    try PostgresGraph(connection, model: model).createTables()
    let mapping = SchemaMapping(model)
    let tables = Set(model.entities.map { mapping[$0.name].table })
    #expect(try PostgresSchemaReader(connection).schema(of: tables).names == tables.sorted())
  }

  @Test func aTableThatExistsIsAnErrorThatNamesItAndNothingIsMade() throws {
    try connection.run("CREATE TABLE tag(id int)")
    let model = try ObjectModel(yaml: Self.model)
    #expect { try PostgresGraph(connection, model: model).createTables() } throws: {
      ($0 as? CloneError)?.code == .storeExists && "\($0)".contains("\"tag\"")
    }
    #expect(try PostgresSchemaReader(connection).schema(of: ["node", "owner", "tag"]).names == ["tag"])
  }

  @Test func aNameThatTheServerWouldCutOffIsRefused() throws {
    let long = "a" + String(repeating: "b", count: 63)
    let model = try ObjectModel(yaml: "version: 1\nname: T\nentities: {E: {attributes: {\(long): String}}}")
    #expect { try PostgresGraph(connection, model: model).createTables() } throws: {
      "\($0)".contains("64 bytes")
    }
  }
}
