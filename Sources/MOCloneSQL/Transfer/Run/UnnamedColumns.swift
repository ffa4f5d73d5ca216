import MOCloneEngine
import MOCloneModel

extension RowAccess {
  /// Columns of the model's tables that no copy takes along since the model does not name them.
  ///
  /// Foreign keys that both stores have are none of them: a copy itself says of how many objects they are left empty.
  ///
  /// - Parameters:
  ///   - target: tables of a store whose columns of the same names take values as well; nil where it has none.
  ///   - isFilled: whether only columns that hold a value are meant, for which whole tables may have to be read.
  package func unnamedColumns(sharing target: StoreSchema?, where isFilled: Bool) throws -> [String] {
    let names = StoreCheck.tables(of: model.entities.map(\.name), model, mapping: mapping).sorted()
    let schema = try db.schema(of: names, mapping)
    return try names.flatMap { name -> [String] in
      guard let table = schema[name] else { return [] }
      let shared = target?[name].map { SharedColumns(table, target: $0, in: model, mapping: mapping) }
      let taken = Set(((shared?.names ?? []) + (shared?.references ?? [])).map(\.sqlName))
      return try table.unmappedColumns(mapping).filter { column in
        guard !taken.contains(column.name.sqlName) else { return false }
        guard isFilled else { return true }
        let values = Select(["1"], from: From(dialect.table(name)))
        return try exists(values.where(.isNotNull(dialect.name(column.name))))
      }.map { "the column '\($0.name)' of the table '\(name)'" }
    }
  }

  package func exists(_ query: Select) throws -> Bool {
    try !db.rows(query.limited(to: 1), Arguments()).isEmpty
  }
}
