extension NotesDatabase {
  /// Checks that note 3 is a clone of note 1.
  func checkClone(in path: String, of name: String) throws {
    let checks = try StoreChecks(path, of: name)
    try checks.expect("SELECT count(*) FROM note", 3)
    try checkCounts(checks)
    try checkCopies(checks)
    try checkRules(checks)
    try checks.expectForeignKeysHold()
  }

  /// Checks that there are copies of note 1 of the same size, each with its own values.
  func checkCopies(_ copies: Int, in path: String, of name: String) throws {
    let checks = try StoreChecks(path, of: name)
    try checks.expect("SELECT count(*) FROM note", 2 + copies)
    try checks.expect("SELECT count(DISTINCT uuid) FROM item", (2 + copies) * items)
    try checks.expect(
      "SELECT count(*) FROM note n CROSS JOIN item i ON i.note_id = n.id WHERE i.note_uuid = n.uuid",
      (2 + copies) * items)
    try checks.expect(
      "SELECT count(*) FROM item o CROSS JOIN item_data d ON d.item_id = o.id", (2 + copies) * datas)
    try checks.expect(
      "SELECT count(*) FROM memo o CROSS JOIN memo_tag l ON l.memo_id = o.id", (2 + copies) * links)
    try checks.expectForeignKeysHold()
  }

  /// Two notes that were there, and the clone.
  private func checkCounts(_ checks: StoreChecks) throws {
    try checks.expect("SELECT count(*) FROM item", 3 * items)
    try checks.expect("SELECT count(*) FROM item_data", 3 * datas)
    try checks.expect("SELECT count(*) FROM memo", 3 * memos)
    try checks.expect("SELECT count(*) FROM memo_tag", 3 * links)
    try checks.expect("SELECT count(*) FROM tag", Self.tags)
  }

  /// What has no rule is the original's, value by value.
  private func checkCopies(_ checks: StoreChecks) throws {
    func expectCopies(_ rows: Int, _ query: (Int) -> String) throws {
      try checks.expectEqual(query(1), query(3), rows: rows)
    }
    try expectCopies(1) { "SELECT name FROM note WHERE id = \($0)" }
    try expectCopies(items) { "SELECT name, payload FROM item WHERE note_id = \($0) ORDER BY id" }
    try expectCopies(datas) {
      """
      SELECT d.value, d.text FROM item o CROSS JOIN item_data d ON d.item_id = o.id
      WHERE o.note_id = \($0) ORDER BY o.id, d.id
      """
    }
    try expectCopies(memos) { "SELECT text FROM memo WHERE note_id = \($0) ORDER BY id" }
    try expectCopies(links) {
      """
      SELECT l.tag_id FROM memo o CROSS JOIN memo_tag l ON l.memo_id = o.id
      WHERE o.note_id = \($0) ORDER BY o.id, l.tag_id
      """
    }
  }

  private func checkRules(_ checks: StoreChecks) throws {
    let clone = "FROM note n CROSS JOIN item i ON i.note_id = n.id WHERE n.id = 3"
    try checks.expect("SELECT count(DISTINCT uuid) FROM note", 3)
    try checks.expect("SELECT count(DISTINCT uuid) FROM item", 3 * items)
    try checks.expect("SELECT count(*) \(clone) AND length(i.uuid) = 36", items)
    try checks.expect("SELECT count(*) \(clone) AND i.note_uuid = n.uuid", items)
    try checks.expect("SELECT count(*) FROM note WHERE id = 3 AND create_date > '\(Self.date)'", 1)
    try checks.expect(
      """
      SELECT count(*) FROM note n CROSS JOIN item i ON i.note_id = n.id
      CROSS JOIN item_data d ON d.item_id = i.id WHERE n.id = 3 AND d.create_date = n.create_date
      """, datas)
  }

  /// Checks that the floor's tables hold note 1 as it is.
  func checkFloor(in path: String, of name: String) throws {
    let checks = try StoreChecks(path, of: name)
    let sources = [
      ("note", "id = 1", 1), ("item", "note_id = 1", items), ("memo", "note_id = 1", memos),
      ("item_data", "item_id IN (SELECT id FROM item WHERE note_id = 1)", datas),
      ("memo_tag", "memo_id IN (SELECT id FROM memo WHERE note_id = 1)", links),
    ]
    for (table, condition, rows) in sources {
      try checks.expectEqual(
        "SELECT * FROM \(table) WHERE \(condition) ORDER BY 1, 2",
        "SELECT * FROM copy_\(table) ORDER BY 1, 2",
        rows: rows)
    }
    try checks.expectForeignKeysHold()
  }
}
