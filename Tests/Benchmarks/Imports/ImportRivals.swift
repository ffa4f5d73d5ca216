import Foundation
import MOCloneImport
import MOCloneModel
import MOCloneYAML

/// Reads a file and looks at every value, which is what an import does before it keeps anything.
private struct ReadRows: RowHandler {
  final class Count {
    var rows = 0
    var bytes = 0
  }

  let count = Count()

  func row(_ record: Record) throws {
    count.rows += 1
    for field in record.fields { count.bytes += field.count }
  }

  func fault(_ fault: RowFault) throws { throw BenchmarkError(fault.message) }
}

extension Work {
  static let readRows = [FileFormat.csv, .ndjson, .xml].map { format in
    Work("read-\(format.rawValue)") { input in
      var shape = RecordShape()
      for name in ["name", "quantity", "unit", "home", "shop"] { _ = shape.field([name]) }
      let rows = format == .xml ? "item" : nil
      let handler = ReadRows()
      try format.rowReader(
        ByteSource(path: input.path), ImportMapping(rows: rows, entity: "Item"), shape
      ).read(handler)
      guard handler.count.rows == input.size else { throw BenchmarkError("\(handler.count.rows) rows") }
    }
  }
}

/// The same import by Python's sqlite-utils: rows upserted in batches, related rows looked up once and then remembered.
enum SQLiteUtils {
  /// Whether Python has it.
  static var exists: Bool {
    (try? Child("/usr/bin/env", ["python3", "-c", "import sqlite_utils"])) != nil
  }

  static func seconds(_ file: String, _ store: String) throws -> Double {
    try Child("/usr/bin/env", ["python3", "-c", script, file, store]).seconds
  }

  private static let script = """
    import csv, sys
    import sqlite_utils
    db = sqlite_utils.Database(sys.argv[2])
    db["item"].create({"name": str, "quantity": int, "listed": int, "unit_id": int, "home_id": int, "shop_id": int}, pk="name")
    known = {}
    def lookup(table, name):
        key = (table, name)
        if key not in known:
            known[key] = db[table].lookup({"name": name})
        return known[key]
    def rows():
        for row in csv.DictReader(open(sys.argv[1], newline="")):
            yield {
                "name": row["name"], "quantity": int(row["quantity"]), "listed": 0,
                "unit_id": lookup("unit", row["unit"]), "home_id": lookup("home", row["home"]),
                "shop_id": lookup("shop", row["shop"]),
            }
    db["item"].upsert_all(rows(), pk="name")
    """
}
