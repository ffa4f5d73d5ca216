import Foundation
import GRDB
import MOCloneKit
import TestSupport
import Testing

/// Stores that apps of others made, beside the package.
private enum RealStore {
  static let folder = RealData.package.deletingLastPathComponent().appending(path: "shared/data/stores")
  static let bookmarks = "ddg_Bookmarks_V5"
  static let cars = "CoreDataPlus_SampleModel_V2"

  static func isPresent(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: name + ".sqlite").path)
  }

  /// Copies a store with its -wal.
  static func copy(_ name: String, to target: TemporaryFolder) throws -> String {
    for ending in ["", "-wal"] {
      let file = folder.appending(path: "\(name).sqlite\(ending)")
      guard FileManager.default.fileExists(atPath: file.path) else { continue }
      try target.write(Data(contentsOf: file), to: "store.sqlite\(ending)")
    }
    return target.file("store.sqlite").path
  }

  static func model(_ entities: String) throws -> ObjectModel {
    try ObjectModel(yaml: "version: 1\nname: Store\nstore: {naming: coreData}\nentities:\n" + entities)
  }
}

@Suite("Stores that apps made with Core Data")
struct CoreDataRealStoreTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func rows(_ path: String, _ sql: String) throws -> [String] {
    try DatabaseQueue(path: path).read { try $0.texts(sql) }
  }

  private static let bookmarks = """
      BookmarkEntity:
        attributes:
          isFolder: Boolean
          isPendingDeletion: {type: Boolean, optional: true, default: false}
          lastChildrenPayloadReceivedFromSync: String?
          modifiedAt: Date?
          title: String?
          url: String?
          uuid: String
        relationships:
          children: {destination: BookmarkEntity, toMany: true, ordered: true, inverse: parent, deleteRule: cascade}
          favoriteFolders: {destination: BookmarkEntity, toMany: true, inverse: favorites}
          favorites: {destination: BookmarkEntity, toMany: true, ordered: true, inverse: favoriteFolders}
          parent: {destination: BookmarkEntity, optional: true, inverse: children}
    """

  @Test(
    "a store is read with its -wal and without changing a byte",
    .enabled(if: RealStore.isPresent(RealStore.bookmarks)))
  func reads() throws {
    let path = try RealStore.copy(RealStore.bookmarks, to: folder)
    let before = try Data(contentsOf: folder.file("store.sqlite"))
    let graph = try SQLiteGraph(path: path, model: RealStore.model(Self.bookmarks), isReadOnly: true)
    #expect(try graph.storeFindings() == [])
    #expect(try graph.count("BookmarkEntity") == 10)
    let root = try graph.object("BookmarkEntity", key: 8)
    #expect(try root.value("title") == "bookmarks_root")
    #expect(try root.destinations("children").map(\.id.key) == [5, 10, 4, 1, 3])
    #expect(
      try graph.object("BookmarkEntity", key: 6).destinations("favorites").map(\.id.key) == [3, 1, 9, 2, 10])
    try graph.close()
    #expect(try Data(contentsOf: folder.file("store.sqlite")) == before)
  }

  @Test(
    "an ordered tree with an ordered reflexive many-to-many is cloned",
    .enabled(if: RealStore.isPresent(RealStore.bookmarks)))
  func bookmarks() throws {
    let path = try RealStore.copy(RealStore.bookmarks, to: folder)
    let graph = try SQLiteGraph(path: path, model: RealStore.model(Self.bookmarks), coreData: .allowed)
    let result = try Cloner().clone(
      "BookmarkEntity", keys: [8], in: graph, request: CloneRequest(set: ["uuid": "x"]))
    #expect(result.roots.map(\.key) == [11] && result.cloned == ["BookmarkEntity": 9])
    func titles(_ key: ObjectKey) throws -> [AttributeValue] {
      try graph.object("BookmarkEntity", key: key).destinations("children").map { try $0.value("title") }
    }
    #expect(try titles(11) == titles(8))
    let favorites = try graph.object("BookmarkEntity", key: 6).destinations("favorites").map(\.id.key)
    #expect(favorites.prefix(5) == [3, 1, 9, 2, 10] && favorites.count == 10)
    try graph.close()
    #expect(try rows(path, "PRAGMA integrity_check") == ["ok"])
    #expect(try rows(path, "SELECT * FROM Z_PRIMARYKEY") == ["1|BookmarkEntity|0|19"])
    #expect(
      try rows(path, "SELECT count(*), min(Z_PK), max(Z_PK) FROM ZBOOKMARKENTITY WHERE Z_PK > 10") == [
        "9|11|19"
      ])
    #expect(try rows(path, "SELECT DISTINCT Z_ENT FROM ZBOOKMARKENTITY") == ["1"])
    // The list of favorites has new members.
    #expect(try rows(path, "SELECT Z_PK, Z_OPT FROM ZBOOKMARKENTITY WHERE Z_OPT <> 1") == ["6|2"])
    let order = "SELECT Z_FOK_1FAVORITES FROM Z_1FAVORITES ORDER BY 1"
    #expect(try rows(path, order) == (2...11).map { String(1024 * $0) })
    let tree = "SELECT Z_FOK_PARENT FROM ZBOOKMARKENTITY WHERE ZPARENT = "
    #expect(try rows(path, tree + "11 ORDER BY 1") == rows(path, tree + "8 ORDER BY 1"))
    #expect(
      try rows(path, "SELECT count(*) FROM ZBOOKMARKENTITY WHERE (ZPARENT IS NULL) <> (Z_FOK_PARENT IS NULL)")
        == ["0"])
  }

  @Test(
    "a folder is cut out into a new store, of which Core Data knows the same",
    .enabled(if: RealStore.isPresent(RealStore.bookmarks)))
  func copySubtree() throws {
    let path = try RealStore.copy(RealStore.bookmarks, to: folder)
    let graph = try SQLiteGraph(path: path, model: RealStore.model(Self.bookmarks), isReadOnly: true)
    let new = folder.file("new.sqlite").path
    _ = try graph.makeStore(at: new) { target in
      try target.clone(
        graph.plan("BookmarkEntity", CloneRequest()), roots: [graph.object("BookmarkEntity", key: 4).id],
        from: graph, SubtreeRequest(missing: .create, keepsKeys: true))
    }
    let tree = "SELECT Z_PK, Z_ENT, Z_OPT, ZPARENT, Z_FOK_PARENT FROM ZBOOKMARKENTITY"
    #expect(try rows(new, tree) == rows(path, tree + " WHERE Z_PK IN (2, 4, 6, 7, 8, 9)"))
    let favorites = "SELECT Z_1FAVORITEFOLDERS, Z_1FAVORITES FROM Z_1FAVORITES ORDER BY 2"
    #expect(try rows(new, favorites) == ["6|2", "6|9"])
    for known in ["Z_PRIMARYKEY", "Z_METADATA", "Z_MODELCACHE"] {
      #expect(try rows(new, "SELECT * FROM \(known)") == rows(path, "SELECT * FROM \(known)"))
    }
    #expect(try rows(new, "PRAGMA integrity_check") == ["ok"] && rows(new, "PRAGMA auto_vacuum") == ["2"])
  }

  private static let cars = """
      Car:
        attributes: {maker: {type: String, optional: true}, markedForDeletionAsOf: {type: Date, optional: true},
          model: {type: String, optional: true}, numberPlate: String}
        relationships: {owner: {destination: Person, optional: true, inverse: cars}}
        uniquenessConstraints: [[numberPlate]]
      LuxuryCar:
        parent: SportCar
        renamedFrom: ExpensiveSportCar
        attributes: {isLimitedEdition: {type: Boolean, optional: true, default: false}}
      Person:
        attributes: {firstName: {type: String, optional: true}, lastName: {type: String, optional: true}, updatedAt: Date}
        relationships: {cars: {destination: Car, toMany: true, inverse: owner}}
        uniquenessConstraints: [[firstName, lastName]]
      SportCar: {parent: Car}
    """

  @Test(
    "objects of sub-entities whose names in the store are stale are cloned as what they are",
    .enabled(if: RealStore.isPresent(RealStore.cars)))
  func cars() throws {
    let path = try RealStore.copy(RealStore.cars, to: folder)
    let key = try #require(try rows(path, "SELECT min(Z_PK) FROM ZCAR WHERE Z_ENT = 3").first)
    let graph = try SQLiteGraph(path: path, model: RealStore.model(Self.cars), coreData: .allowed)
    #expect(try graph.count("LuxuryCar") == 5 && graph.count("SportCar") == 10 && graph.count("Car") == 125)
    let result = try Cloner().clone(
      "Car", keys: [ObjectKey(text: key)], in: graph, request: CloneRequest(set: ["numberPlate": "NEW"]))
    #expect(result.roots.map(\.description) == ["LuxuryCar 126"])
    let person = try graph.insert(
      "Person", ["firstName": "A", "updatedAt": .date(Date(timeIntervalSinceReferenceDate: 5))])
    try graph.setDestinations([person.id], "owner", of: result.roots[0])
    try graph.close()
    #expect(try rows(path, "SELECT Z_ENT, Z_OPT, ZOWNER FROM ZCAR WHERE Z_PK = 126") == ["3|2|21"])
    #expect(try rows(path, "SELECT Z_ENT, Z_OPT, ZUPDATEDAT FROM ZPERSON WHERE Z_PK = 21") == ["4|2|5"])
    #expect(
      try rows(path, "SELECT * FROM Z_PRIMARYKEY")
        == ["1|Car|0|126", "2|SportCar|1|0", "3|ExpensiveSportCar|2|0", "4|Person|0|21"])
    #expect(try rows(path, "PRAGMA integrity_check") == ["ok"])
  }
}
