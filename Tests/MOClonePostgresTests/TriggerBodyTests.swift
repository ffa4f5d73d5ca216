import Testing

@testable import MOCloneSQL

@Suite struct TriggerBodyTests {
  private func updates(_ sql: String, newRows: String? = nil) -> [TriggerUpdate] {
    TriggerBody(sql, newRows: newRows).updates
  }

  /// Where they are, by whom they are chosen, and no more.
  private func places(_ sql: String) -> [TriggerUpdate] {
    updates(sql).map { update($0.table, $0.columns, by: $0.chosenBy) }
  }

  private func update(_ table: String, _ columns: [String], by chosenBy: [String] = []) -> TriggerUpdate {
    TriggerUpdate(table: table, columns: columns, chosenBy: chosenBy)
  }

  @Test(arguments: [
    "BEGIN UPDATE note SET items = items + 1 WHERE id = NEW.note_id; RETURN NEW; END",
    "begin update only Note n set items = n.items + 1 where n.id = new.note_id; return null; end;",
    "BEGIN IF TG_OP = 'INSERT' THEN UPDATE note SET items = 1 WHERE id = NEW.note_id; END IF; RETURN NULL; END",
    "BEGIN IF NEW.a THEN x := 1; ELSE UPDATE note SET items = 1 WHERE NEW.note_id = id; END IF; RETURN NULL; END",
    "BEGIN WITH a AS (UPDATE note SET items = 1 WHERE id = NEW.note_id RETURNING 1) SELECT 1 INTO x FROM a; END",
    "BEGIN WITH a AS (SELECT 1) UPDATE note SET items = 1 FROM a WHERE id = NEW.note_id; END",
    "DECLARE owner int := NEW.note_id; BEGIN UPDATE note SET items = items + 1 WHERE id = owner; END",
    "DECLARE owner int; BEGIN owner = NEW.note_id; UPDATE note SET items = items + 1 WHERE note.id = owner; END",
    "/* UPDATE a SET b = 1; */ BEGIN -- UPDATE a SET b = 1;\n UPDATE note SET items = 1 WHERE id = NEW.note_id; END",
    "BEGIN RAISE NOTICE E'it\\'s; UPDATE a SET b = 1'; UPDATE note SET items = 2 WHERE id = NEW.note_id; END",
    "BEGIN PERFORM f($x$; UPDATE a SET b = 1; $x$); UPDATE note SET items = 2 WHERE id = NEW.note_id; END",
    "CREATE RULE r AS ON UPDATE TO item DO ALSO ( UPDATE note SET items = 1 WHERE (note.id = new.note_id); )",
  ])
  func anUpdateIsFoundWhereverItStands(_ body: String) {
    #expect(places(body) == [update("note", ["items"], by: ["note_id"])])
  }

  @Test(arguments: [
    ("NEW.a := 1;", ["a"]), ("NEW.a := lower(NEW.a);", []), ("NEW.a := coalesce(a, NEW.b);", []),
    ("IF x THEN NEW.a := 1; END IF; NEW.b := upper(NEW.a);", ["b"]),
    ("IF NEW.a IS NOT NULL THEN RETURN NEW; END IF; NEW.a := 1;", []),
  ])
  func whatIsMadeForEachNewRowIsKnown(_ statements: String, _ made: [String]) {
    let body = "BEGIN \(statements) RETURN NEW; END"
    #expect(TriggerBody(body).formulas.map(\.column) == made)
    #expect(TriggerBody(body, isConditional: true).formulas == [])
  }

  @Test(arguments: [
    ("n = n + 1", true), ("n = note.n - 1", true), ("n = (SELECT count(*) FROM item)", true),
    ("n = 1", false),
    ("n = coalesce(n, NEW.n)", false), ("n = max(n, NEW.n)", false),
    ("n = greatest(n, (SELECT max(n) FROM item))", false), ("m = n + 1, n = 2", false),
    ("(m, n) = (SELECT sum(a), sum(b) FROM item)", true),
  ])
  func whatIsCountedIsKnown(_ assignment: String, _ isCounted: Bool) {
    let update = updates("BEGIN UPDATE note SET \(assignment) WHERE id = NEW.note_id; END")[0]
    let kinds = update.formulas.filter { $0.column == "n" }.map(\.kind)
    #expect(kinds.contains { [.counted, .added].contains($0) } == isCounted)
  }

  @Test(arguments: [
    ("id = NEW.note_id", true), ("space_id = NEW.space_id AND note.number = NEW.note_number", true),
    ("space_id = NEW.space_id AND NEW.note_number = number", true),
    ("id = NEW.note_id AND isOpen", false), ("id = NEW.note_id AND kind = 'a'", false),
    ("id = NEW.note_id AND NEW.a = NEW.b", false), ("id = NEW.note_id OR id = NEW.other_id", false),
    ("id = NEW.note_id AND number <> NEW.number", false),
  ])
  func rowsAreCountedForAKeyOfAnyColumns(_ condition: String, _ isCounted: Bool) {
    let update = updates("BEGIN UPDATE note SET n = n + 1 WHERE \(condition); RETURN NULL; END")[0]
    #expect(update.formulas.map(\.kind) == (isCounted ? [.added] : []))
  }

  @Test(arguments: [
    ("IF TG_OP = 'INSERT' THEN + RETURN NEW; ELSE - RETURN OLD; END IF;", "+", "-"),
    ("IF (TG_OP = 'DELETE') THEN - RETURN OLD; END IF; + RETURN NEW;", "+", "-"),
    ("IF TG_OP <> 'DELETE' THEN + ELSE - END IF; RETURN NULL;", "+", "-"),
    ("IF TG_OP IN ('UPDATE', 'DELETE') THEN - ELSIF TG_OP = 'INSERT' THEN + END IF; RETURN NULL;", "+", "-"),
    ("IF TG_OP = 'UPDATE' OR TG_OP = 'DELETE' THEN - END IF; RETURN NULL;", "", "-"),
    (
      "IF TG_OP = 'INSERT' THEN IF NEW.a THEN x := CASE WHEN b THEN 1 ELSE 2 END; ELSE y := 1; END IF; + ELSE - END IF;",
      "+", "-"
    ),
    // What else is asked leaves both open.
    ("IF TG_OP = 'INSERT' AND NEW.a THEN + ELSE - END IF; RETURN NULL;", "", ""),
  ])
  func aBodyThatAsksForTheEventIsReadForEach(_ statements: String, _ inserted: String, _ deleted: String) {
    let body = statements.replacing("+", with: "UPDATE note SET n = n + 1 WHERE id = NEW.note_id;")
      .replacing(" - ", with: " UPDATE note SET n = n - 1 WHERE id = OLD.note_id; ")
    func counts(on event: String) -> String {
      let updates = TriggerBody("BEGIN \(body) END", event: event).updates.filter { !$0.formulas.isEmpty }
      return updates.map { $0.chosenBy == ["note_id"] ? "+" : "-" }.joined()
    }
    #expect(counts(on: "INSERT") == inserted && counts(on: "DELETE") == deleted)
  }

  @Test(arguments: [
    "UPDATE note SET n = n + 1 WHERE id = NEW.note_id; NEW.number := (SELECT n FROM note WHERE id = NEW.note_id);",
    "UPDATE note SET n = n + 1 WHERE id = NEW.note_id RETURNING n INTO NEW.number;",
    "IF NEW.number IS NULL THEN UPDATE note SET n = n + 1 WHERE id = NEW.note_id; END IF;",
  ])
  func whatNumbersRowsOrIsTheirRunningTotalIsNoCount(_ statements: String) {
    #expect(updates("BEGIN \(statements) RETURN NEW; END")[0].formulas == [])
  }

  @Test(arguments: [
    ("UPDATE list SET a = 1 WHERE id = NEW.id", true),
    ("UPDATE list SET a = a || 'x' WHERE id = NEW.id", false),
    ("UPDATE list SET a = 1 WHERE id = NEW.id AND b", false),
    ("IF NEW.a IS NULL THEN UPDATE list SET a = 1 WHERE id = NEW.id; END IF", false),
  ])
  func whatAnUpdateMakesOfTheNewRowIsKnown(_ statement: String, _ isMade: Bool) {
    let formulas = updates("BEGIN \(statement); RETURN NULL; END")[0].formulas
    #expect(formulas.contains { $0.column == "a" && $0.kind == .set } == isMade)
  }

  @Test(arguments: [
    "BEGIN EXECUTE 'UPDATE note SET items = 1'; END",
    "BEGIN PERFORM 1 FROM note WHERE id = 1 FOR UPDATE; END",
    "BEGIN IF TG_OP = 'UPDATE' THEN RETURN NEW; END IF; END", "BEGIN NEW.items := 1; RETURN NEW; END",
  ])
  func whatIsNoUpdateIsNone(_ body: String) {
    #expect(updates(body) == [])
  }

  @Test(arguments: ["\"note\"", "[note]", "`note`"])
  func namesInEachKindOfQuotesAreRead(_ name: String) {
    #expect(
      places("BEGIN UPDATE \(name) SET items = items + 1 WHERE id = NEW.note_id; END")
        == [update("note", ["items"], by: ["note_id"])])
  }

  @Test func namesAreThoseOfTheDatabase() {
    #expect(
      places("BEGIN UPDATE App.\"No\"\"te\" SET (\"Items\", b) = (1, 2), c = 3; END")
        == [update("app.No\"te", ["items", "b", "c"])])
  }

  @Test func anInsertThatUpdatesWhatExistsIsAnUpdate() {
    #expect(
      places(
        "BEGIN INSERT INTO app.total(id, n) VALUES (NEW.a, 1) ON CONFLICT (id) DO UPDATE SET n = total.n + 1; END"
      )
        == [update("app.total", ["n"])])
  }

  @Test(arguments: [
    "UPDATE note SET items = 1 FROM fresh f WHERE note.id = f.note_id",
    "UPDATE note SET items = 1 FROM fresh WHERE fresh.note_id = note.id",
    "UPDATE note SET items = 1 WHERE id IN (SELECT note_id FROM fresh)",
  ])
  func theTableOfAllNewRowsCountsAsTheNewRow(_ statement: String) {
    #expect(updates("BEGIN \(statement); RETURN NULL; END", newRows: "fresh")[0].chosenBy == ["note_id"])
  }

  @Test(arguments: [
    ("BEGIN DELETE FROM note; END", true), ("BEGIN IF a THEN DELETE FROM note; END IF; END", true),
    ("BEGIN WITH d AS (DELETE FROM note RETURNING 1) SELECT 1 INTO x FROM d; END", true),
    ("BEGIN TRUNCATE note; END", true), ("BEGIN INSERT OR REPLACE INTO note VALUES (1); END", true),
    ("BEGIN IF TG_OP = 'DELETE' THEN RETURN OLD; END IF; END", false),
    ("BEGIN UPDATE note SET name = (replace(name, 'a', 'b')); END", false),
  ])
  func aBodyThatRemovesRowsIsTold(_ body: String, _ deletes: Bool) {
    #expect(TriggerBody(body).deletes == deletes)
  }

  @Test(arguments: [
    ("BEGIN NEW.slug := 'x'; RETURN NEW; END", ["slug"]),
    ("BEGIN new.a = 1; NEW.\"B\" := 2; RETURN NEW; END", ["a", "b"]),
    ("BEGIN IF NEW.slug IS NULL THEN NEW.slug := 'x'; END IF; NEW.at := now(); RETURN NEW; END", ["at"]),
    ("BEGIN IF (NEW.slug = 'x') THEN RETURN NULL; END IF; RETURN NEW; END", []),
    (
      "BEGIN UPDATE a SET b = 1 RETURNING b, c INTO NEW.b, NEW.c; SELECT 1 INTO STRICT NEW.d; RETURN NEW; END",
      ["b", "c", "d"]
    ),
    ("BEGIN INSERT INTO new (a) VALUES (1); SELECT NEW.a INTO x; RETURN NEW; END", []),
  ])
  func whatIsSetInEveryNewRowIsTold(_ body: String, _ columns: [String]) {
    #expect(TriggerBody(body).assigned == columns)
  }
}
