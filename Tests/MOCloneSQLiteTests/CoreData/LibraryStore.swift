import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// A store as Core Data makes them: inheritance, both sides of a one-to-one relationship, ordered lists, derived attributes,
/// values in files.
struct LibraryStore {
  let folder: TemporaryFolder
  let model: ObjectModel
  var path: String { folder.file("library.sqlite").path }

  init(rows: String = Self.rows) throws {
    folder = try TemporaryFolder()
    model = try ObjectModel(yaml: Self.model)
    try DatabaseQueue(path: path).write { db in
      // As any program would, these rows do not call Core Data's functions.
      try db.execute(sql: Self.tables + rows + Self.triggers)
    }
  }

  func graph() throws -> SQLiteGraph { try SQLiteGraph(path: path, model: model, coreData: .allowed) }

  /// Does something in a graph that may write, after which the store must be sound.
  @discardableResult
  func write<T>(sourceLocation: SourceLocation = #_sourceLocation, _ body: (SQLiteGraph) throws -> T) throws
    -> T
  {
    let graph = try graph()
    let result = try body(graph)
    try graph.close()
    try checkSound(sourceLocation: sourceLocation)
    return result
  }

  func rows(_ sql: String, in file: String = "library.sqlite") throws -> [String] {
    try DatabaseQueue(path: folder.file(file).path).read { try $0.texts(sql) }
  }

  /// Compares the rows of a query.
  func expect(
    _ sql: String, _ expected: [String], in file: String = "library.sqlite",
    sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let found = try rows(sql, in: file)
    #expect(found == expected, sourceLocation: sourceLocation)
  }

  func execute(_ sql: String) throws {
    try DatabaseQueue(path: path).write { try $0.execute(sql: sql) }
  }

  // MARK: Files

  /// The files of large values.
  var files: Set<String> {
    let names = try? FileManager.default.contentsOfDirectory(atPath: external.path)
    return Set(names ?? [])
  }

  private var external: URL { folder.file(".library_SUPPORT/_EXTERNAL_DATA") }

  func content(_ name: String) throws -> Data { try Data(contentsOf: external.appendingPathComponent(name)) }

  static let coverName = "0A4D3C3E-6E6A-4B52-8F2E-000000000001"

  func addCoverFile(_ name: String = Self.coverName, holding text: String = "a large cover") throws {
    try folder.write(text.utf8, to: ".library_SUPPORT/_EXTERNAL_DATA/\(name)")
  }

  /// With a second Atlas 'Two', whose columns of its scale and its cover hold what is given.
  static func twice(scale: String, cover: String) throws -> LibraryStore {
    let four = "(4, 1, 1, NULL, NULL, NULL, NULL, NULL, 'Four', 'four', NULL, NULL)"
    let two = "(4, 2, 1, NULL, NULL, NULL, NULL, \(scale), 'Two', 'two', NULL, \(cover))"
    return try LibraryStore(rows: rows.replacing(four, with: two))
  }
}

extension LibraryStore {
  /// What Core Data takes for granted of a store of these tables.
  func checkSound(
    in file: String = "library.sqlite", sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let faults = [
      "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
      "SELECT 'ZBOOK', max(Z_PK) FROM ZBOOK HAVING max(Z_PK) > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 1)",
      "SELECT 'ZSHELF', max(Z_PK) FROM ZSHELF HAVING max(Z_PK) > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 6)",
      "SELECT 'ZSTAMP', max(Z_PK) FROM ZSTAMP HAVING max(Z_PK) > (SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = 7)",
      "SELECT 'Z_OPT', Z_PK FROM ZBOOK WHERE coalesce(Z_OPT, 0) < 1 OR typeof(Z_OPT) <> 'integer'",
      "SELECT 'Z_OPT', Z_PK FROM ZSHELF WHERE coalesce(Z_OPT, 0) < 1",
      "SELECT 'Z_ENT', Z_PK FROM ZBOOK WHERE Z_ENT NOT IN (1, 2, 3) OR typeof(Z_ENT) <> 'integer'",
      "SELECT 'Z_ENT', Z_PK FROM ZSHELF WHERE Z_ENT IS NOT 6 UNION SELECT 'Z_ENT', Z_PK FROM ZTAG WHERE Z_ENT IS NOT 8",
      "SELECT 'Z4_OWNER', Z_PK FROM ZBOOK b WHERE Z4_OWNER IS NOT (SELECT Z_ENT FROM ZPERSON p WHERE p.Z_PK = b.ZOWNER)",
      "SELECT 'ZSTAMP', Z_PK FROM ZSHELF s WHERE ZSTAMP IS NOT (SELECT Z_PK FROM ZSTAMP t WHERE t.ZSHELF = s.Z_PK)",
      "SELECT 'Z_FOK_SHELF', Z_PK FROM ZBOOK WHERE (ZSHELF IS NULL) <> (Z_FOK_SHELF IS NULL) OR Z_FOK_SHELF <= 0",
      "SELECT 'Z_FOK_SHELF', ZSHELF FROM ZBOOK WHERE ZSHELF NOT NULL GROUP BY ZSHELF, Z_FOK_SHELF HAVING count(*) > 1",
      "SELECT 'Z_FOK_8TAGS', Z_1BOOKS FROM Z_1TAGS GROUP BY Z_1BOOKS, Z_FOK_8TAGS HAVING count(*) > 1",
      "SELECT 'ZBOOKCOUNT', Z_PK FROM ZSHELF s WHERE ZBOOKCOUNT IS NOT (SELECT count(*) FROM ZBOOK b WHERE b.ZSHELF = s.Z_PK)",
      "SELECT 'ZLOWER', Z_PK FROM ZBOOK WHERE ZLOWER IS NOT lower(ZTITLE)",
    ]
    for fault in faults { try expect(fault, [], in: file, sourceLocation: sourceLocation) }
  }

  static let model = """
    version: 1
    name: Library
    store: {naming: coreData}
    entities:
      Shelf:
        attributes:
          label: String
          bookCount: {type: Integer 64, optional: true, derived: trigger}
        relationships:
          books: {destination: Book, toMany: true, ordered: true, inverse: shelf, deleteRule: cascade}
          stamp: {destination: Stamp, optional: true, inverse: shelf, deleteRule: cascade}
      Stamp:
        attributes: {day: {type: Date, optional: true}}
        relationships:
          shelf: {destination: Shelf, optional: true, inverse: stamp}
      Book:
        attributes:
          title: String
          lower: {type: String, optional: true, derived: trigger}
          cover: {type: Binary, optional: true, x-coredata: {allowsExternalBinaryDataStorage: YES}}
        relationships:
          shelf: {destination: Shelf, optional: true, inverse: books}
          owner: {destination: Person, optional: true, inverse: books}
          tags: {destination: Tag, toMany: true, ordered: true, inverse: books}
      Novel: {parent: Book, attributes: {scale: {type: String, optional: true}}}
      Atlas: {parent: Book, attributes: {scale: {type: Integer 32, optional: true}}}
      Person:
        attributes: {name: String}
        relationships: {books: {destination: Book, toMany: true, inverse: owner}}
        uniquenessConstraints: [[name]]
      Reader: {parent: Person, renamedFrom: Visitor}
      Tag:
        attributes: {name: String}
        relationships: {books: {destination: Book, toMany: true, inverse: tags}}
        uniquenessConstraints: [[name]]
    """

  static let tables = """
    CREATE TABLE Z_PRIMARYKEY(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER);
    CREATE TABLE Z_METADATA(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB);
    CREATE TABLE Z_MODELCACHE(Z_CONTENT BLOB);
    INSERT INTO Z_PRIMARYKEY VALUES (1, 'Book', 0, 0), (2, 'Atlas', 1, 0), (3, 'Novel', 1, 0), (4, 'Person', 0, 0),
      (5, 'Visitor', 4, 0), (6, 'Shelf', 0, 0), (7, 'Stamp', 0, 0), (8, 'Tag', 0, 0);
    CREATE TABLE ZBOOK(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZOWNER INTEGER, Z4_OWNER INTEGER,
      ZSHELF INTEGER, Z_FOK_SHELF INTEGER, ZSCALE INTEGER, ZTITLE VARCHAR, ZLOWER VARCHAR, ZSCALE1 VARCHAR, ZCOVER BLOB);
    CREATE TABLE ZPERSON(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE ZSHELF(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSTAMP INTEGER, ZBOOKCOUNT INTEGER,
      ZLABEL VARCHAR);
    CREATE TABLE ZSTAMP(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZSHELF INTEGER, ZDAY TIMESTAMP);
    CREATE TABLE ZTAG(Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
    CREATE TABLE Z_1TAGS(Z_1BOOKS INTEGER, Z_8TAGS INTEGER, Z_FOK_8TAGS INTEGER, PRIMARY KEY (Z_1BOOKS, Z_8TAGS));
    CREATE INDEX ZBOOK_ZSHELF_INDEX ON ZBOOK(ZSHELF);
    CREATE INDEX ZSTAMP_ZSHELF_INDEX ON ZSTAMP(ZSHELF);

    """

  static let rows = """
    INSERT INTO ZPERSON VALUES (1, 4, 1, 'Ann'), (2, 5, 3, 'Ben');
    INSERT INTO ZSHELF VALUES (1, 6, 4, 1, 3, 'a'), (2, 6, 1, NULL, 0, 'b');
    INSERT INTO ZSTAMP VALUES (1, 7, 1, 1, 700000000);
    INSERT INTO ZTAG VALUES (1, 8, 1, 'red'), (2, 8, 1, 'blue');
    INSERT INTO ZBOOK VALUES
      (1, 1, 1, 1, 4, 1, 3072, NULL, 'One', 'one', NULL, x'01AABB'),
      (2, 2, 2, 2, 5, 1, 2048, 50, 'Two', 'two', NULL,
        x'0230413444334333452D364536412D344235322D384632452D30303030303030303030303100'),
      (3, 3, 1, NULL, NULL, 1, 3584, NULL, 'Three', 'three', 'small', NULL),
      (4, 1, 1, NULL, NULL, NULL, NULL, NULL, 'Four', 'four', NULL, NULL);
    INSERT INTO Z_1TAGS VALUES (1, 1, 3072), (1, 2, 2048), (2, 1, 2048);
    UPDATE Z_PRIMARYKEY SET Z_MAX = CASE Z_ENT WHEN 1 THEN 9 WHEN 4 THEN 2 WHEN 6 THEN 2 WHEN 7 THEN 1 WHEN 8 THEN 2 ELSE 0 END;

    """

  /// As Core Data writes them for `books.@count` and `lowercase:(title)`.
  static let triggers = """
    CREATE TRIGGER Z_DA_ZSHELF_Shelf_bookCount_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW BEGIN
      UPDATE ZSHELF SET ZBOOKCOUNT = (SELECT count(*) FROM ZBOOK WHERE ZSHELF = NEW.ZSHELF) WHERE Z_PK = NEW.ZSHELF;
      SELECT NSCoreDataDATriggerUpdatedAffectedObjectValue('ZSHELF', Z_ENT, Z_PK, 'bookCount', ZBOOKCOUNT) FROM ZSHELF
        WHERE Z_PK = NEW.ZSHELF; END;
    CREATE TRIGGER Z_DA_ZSHELF_Shelf_bookCount_UPDATE AFTER UPDATE OF ZSHELF ON ZBOOK FOR EACH ROW BEGIN
      UPDATE ZSHELF SET ZBOOKCOUNT = (SELECT count(*) FROM ZBOOK WHERE ZSHELF = NEW.ZSHELF) WHERE Z_PK = NEW.ZSHELF;
      UPDATE ZSHELF SET ZBOOKCOUNT = (SELECT count(*) FROM ZBOOK WHERE ZSHELF = OLD.ZSHELF) WHERE Z_PK = OLD.ZSHELF; END;
    CREATE TRIGGER Z_DA_ZSHELF_Shelf_bookCount_DELETE AFTER DELETE ON ZBOOK FOR EACH ROW BEGIN
      UPDATE ZSHELF SET ZBOOKCOUNT = (SELECT count(*) FROM ZBOOK WHERE ZSHELF = OLD.ZSHELF) WHERE Z_PK = OLD.ZSHELF; END;
    CREATE TRIGGER Z_DA_ZSHELF_Shelf_bookCount_NEW AFTER INSERT ON ZSHELF FOR EACH ROW BEGIN
      UPDATE ZSHELF SET ZBOOKCOUNT = (SELECT count(*) FROM ZBOOK WHERE ZSHELF = NEW.Z_PK) WHERE Z_PK = NEW.Z_PK; END;
    CREATE TRIGGER Z_DA_ZBOOK_Book_lower_INSERT AFTER INSERT ON ZBOOK FOR EACH ROW WHEN (NEW.ZTITLE NOT NULL) BEGIN
      UPDATE ZBOOK SET ZLOWER = NSCoreDataToLower(NEW.ZTITLE) WHERE Z_PK = NEW.Z_PK;
      SELECT NSCoreDataDATriggerInsertUpdatedAffectedObjectValue('ZBOOK', Z_ENT, Z_PK, 'lower', ZLOWER) FROM ZBOOK
        WHERE Z_PK = NEW.Z_PK; END;
    CREATE TRIGGER Z_DA_ZBOOK_Book_lower_UPDATE AFTER UPDATE OF ZTITLE ON ZBOOK FOR EACH ROW BEGIN
      UPDATE ZBOOK SET ZLOWER = NSCoreDataToLower(NEW.ZTITLE) WHERE Z_PK = NEW.Z_PK; END;
    """
}
