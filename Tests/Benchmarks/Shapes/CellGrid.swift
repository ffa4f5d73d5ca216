/// Cells with one above and one to the left, so that each is reached twice: a grid, or a chain in which both are the
/// same cell.
struct CellGrid: Shape {
  let height: Int
  let width: Int
  /// A chain: each cell has the one before it both above and to its left.
  let isChain: Bool

  /// A square of about that many cells.
  init(cells: Int) {
    height = Int(Double(cells).squareRoot())
    width = height
    isChain = false
  }

  init(chainOf cells: Int) {
    height = 1
    width = cells
    isChain = true
  }

  var count: Int { height * width }
  var title: String {
    isChain
      ? "a chain of \(Unit.count(count)), each reached in two ways"
      : "a grid of \(Unit.count(count)), each cell reached twice"
  }
  var file: String { "cells-\(height)-\(width).sqlite" }

  static let model = """
    version: 1
    name: Cells
    entities:
      Cell:
        attributes:
          name: String
        relationships:
          above: {destination: Cell, optional: true, inverse: below}
          below: {destination: Cell, toMany: true, inverse: above}
          left:  {destination: Cell, optional: true, inverse: right}
          right: {destination: Cell, toMany: true, inverse: left}
    """

  func fill(_ connection: Connection) throws {
    let insert = try connection.prepare(
      "INSERT INTO cell(id, name, above_id, left_id) VALUES (?, ?, ?, ?)")
    for row in 0..<height {
      for column in 0..<width {
        for grid in 1...2 {
          let left = column == 0 ? SQLiteValue.null : id(row, column - 1, grid)
          let above = isChain ? left : row == 0 ? .null : id(row - 1, column, grid)
          try insert.run([id(row, column, grid), .text("Cell \(row) \(column)"), above, left])
        }
      }
    }
  }

  private func id(_ row: Int, _ column: Int, _ grid: Int) -> SQLiteValue {
    .integer(Int64(2 * (row * width + column) + grid))
  }

  func check(_ checks: StoreChecks) throws {
    try checks.expect("SELECT count(*) FROM cell", 3 * count)
    try checks.expect(
      "SELECT count(*) FROM cell WHERE id > \(2 * count) AND min(above_id, left_id) <= \(2 * count)", 0)
    let neighbours = """
      SELECT s.name, a.name, l.name FROM cell s
      LEFT JOIN cell a ON a.id = s.above_id LEFT JOIN cell l ON l.id = s.left_id
      """
    try checks.expectEqual(
      "\(neighbours) WHERE s.id <= \(2 * count) AND s.id % 2 = 1 ORDER BY s.name",
      "\(neighbours) WHERE s.id > \(2 * count) ORDER BY s.name", rows: count)
  }
}

extension Work {
  static let cellsByMoclone = cloneOfFirst("cells-moclone", of: "Cell", CellGrid.model)
}
