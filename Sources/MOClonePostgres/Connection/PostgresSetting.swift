import MOCloneSQL

/// A setting of the server that an operation changes for a while.
struct PostgresSetting {
  let name: String
  let value: String
  /// Whether what it is now is to be changed.
  let condition: String

  /// 32 MB of memory to sort and to join in, where there is less.
  static let memory = PostgresSetting(
    name: "work_mem", value: "32MB", condition: "pg_size_bytes(former) < 33554432")

  /// Pages that are looked up cost little more than those that are read one after another: what objects refer to lies close
  /// together, and is looked up over and over.
  static let pageCost = PostgresSetting(
    name: "random_page_cost", value: "1.1", condition: "former::float8 > 1.1")
}

extension PostgresConnection {
  /// Changes a setting until it is set again, at most for the rest of the transaction.
  ///
  /// - Returns: what it was; nil where it stays as it is.
  func change(_ setting: PostgresSetting) throws -> String? {
    let sql = """
      WITH setting AS MATERIALIZED (SELECT current_setting('\(setting.name)') AS former)
      SELECT former, set_config('\(setting.name)', '\(setting.value)', true) FROM setting WHERE \(setting.condition)
      """
    return try rows(sql).first?[0].string
  }

  /// Sets what was changed to what it was.
  func restore(_ setting: PostgresSetting, to former: String) {
    // In a transaction that has failed nothing can be set, and nothing needs to be.
    _ = try? rows("SELECT set_config('\(setting.name)', $former, true)", ["former": .text(former)])
  }
}
