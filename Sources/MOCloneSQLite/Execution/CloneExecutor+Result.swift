import Foundation
import GRDB
import MOCloneEngine
import MOCloneModel
import MOCloneSQL

/// What a run has done.
extension CloneExecutor {
  func recordLinks(into result: inout CloneResult) throws {
    for link in program.links {
      let count = try statements.number(link.sql)
      if count > 0 { result.linked[link.entity, default: 0] += count }
    }
  }

  func recordCounts(into result: inout CloneResult, copies: Int) throws {
    for family in layout.families {
      let counts = family.hasEntity ? try entityCounts(of: family) : [0: count(of: family)]
      for (entity, count) in counts where count > 0 {
        result.cloned[family.entities[entity], default: 0] += count * copies
      }
    }
  }

  private func count(of family: Family) -> Int {
    family.isDirect ? written[family.index] : closure.mapped[family.index]
  }

  private func entityCounts(of family: Family) throws -> [Int: Int] {
    let rows = try statements.rows(
      "SELECT m.entity, count(*) FROM \(Dialect.sqlite.temporary(family.map)) m GROUP BY 1")
    return Dictionary(uniqueKeysWithValues: rows.map { ($0[0], $0[1]) })
  }

  func record(into result: inout CloneResult) throws {
    try recordCounts(into: &result, copies: 1)
    for family in layout.families {
      if family.hasRoot {
        result.roots += try pairs(family, where: "WHERE \(family.isRoot("m"))").map(\.clone)
      }
      if run.keepsMapping { result.mapping += try pairs(family, where: "") }
    }
  }

  func pairs(_ family: Family, where condition: String) throws -> [CloneResult.Pair] {
    let entity = family.hasEntity ? "m.entity" : "0"
    let new = family.keyColumns.indices.map { family.newKey("m", part: $0) }
    let parts = family.keyColumns.count
    let coding = KeyCoding(entity: layout.mapping[family.name])
    return try statements.rows(
      "SELECT \(entity), \((family.old("m") + new).list) FROM \(Dialect.sqlite.temporary(family.map)) m \(condition) ORDER BY m.seq"
    ).map { row in
      let name = family.entities[row[0]]
      return CloneResult.Pair(
        original: ObjectID(name, key: coding.decode(row, from: 1)),
        clone: ObjectID(name, key: coding.decode(row, from: 1 + parts)))
    }
  }
}
