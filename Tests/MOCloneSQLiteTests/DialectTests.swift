import GRDB
import MOCloneKit
import MOCloneSQL
import MOCloneTesting
import Testing

@testable import MOCloneSQLite

/// Statements are spelled by a dialect alone: rendered for a database that does not exist, they hold nothing of SQLite.
@Suite struct DialectTests {
  @Test(arguments: RandomShape.allCases, UInt64(0)..<25)
  func nothingOfSQLiteStandsInTheStatementsOfAnotherDatabase(_ shape: RandomShape, seed: UInt64) throws {
    let model = try shape.model(seed: seed)
    for entity in model.entities {
      guard let plan = try? ClonePlan(model: model, entity: entity.name, request: CloneRequest(count: 2)),
        let own = try? statements(plan, .sqlite)
      else { continue }
      let foreign = try statements(plan, .foreign)
      #expect(foreign.count == own.count)
      for statement in foreign {
        for spelling in Self.ofSQLite where statement.firstMatch(of: try Regex(spelling)) != nil {
          Issue.record("\(spelling) in \(statement)")
        }
      }
    }
  }

  /// What only SQLite writes so.
  private static let ofSQLite = [
    "\"", #"\bmain\."#, #"\btemp\."#, #":\w"#, #"\bIS (?!NULL|NOT NULL)"#, "CROSS JOIN", "OR IGNORE",
    "OR ABORT",
    "CREATE TEMP ", "INTEGER PRIMARY KEY", "moclone_(uuid|convert|number)", "typeof", "COLLATE", "LIMIT -1",
    #"\bmax\([^()]*,"#,
  ]

  private func statements(_ plan: ClonePlan, _ dialect: Dialect) throws -> [String] {
    let queue = try DatabaseQueue()
    let mapping = SchemaMapping(plan.model)
    let schema = try queue.write { db in
      try SchemaWriter(plan.model).create(in: db)
      let reader = SchemaReader(db: db)
      return try reader.schema(of: reader.tableNames())
    }
    let spelled = StoreSchema(schema.names.compactMap { schema[$0] }, others: [:], dialect: dialect)
    let layout = try CloneLayout(plan: plan, mapping: mapping, schema: spelled, keepsMapping: true)
    let program = try SQLProgram(layout)
    let small = try RowProgram(program).map(\.statements) ?? []
    return program.statements + program.writes.compactMap(\.passing) + program.links.map(\.sql) + small
  }
}

extension Dialect {
  fileprivate static let foreign: Dialect = {
    var dialect = Dialect(
      id: "foreign", isNoInteger: { "fractional(\($0))" }, literal: { "literal(\($0))" },
      newUUID: { "fresh_uuid(\($0))" }, convert: { "converted(\($0), \($1.name), \($2.name))" },
      collate: { "\($0) SORTED BY \($1)" }, rowNumber: "counted_row()")
    dialect.quotes = ("«", "»")
    dialect.schemas = ("store!", "passing!")
    dialect.parameterSign = "$"
    dialect.comparisons = ("SAME AS", "OTHER THAN")
    dialect.orderedJoin = "THEN JOIN"
    dialect.insertOrFail = "INSERT STRICTLY INTO"
    dialect.insertOrSkip = ("INSERT INTO", " UNLESS THERE")
    dialect.createTemporaryTable = "CREATE PASSING TABLE"
    dialect.countingKey = "COUNTER"
    dialect.greatest = "largest"
    dialect.byBytes = " BYTEWISE"
    dialect.unlimited = "UNBOUNDED "
    return dialect
  }()
}
