import Foundation
import GRDB
import MOCloneKit
import MOCloneTesting
import TestSupport
import Testing

/// The kinds of graphs that every import must come out the same in.
enum Backend: String, CaseIterable, CustomTestStringConvertible {
  case memory, sqlite

  var testDescription: String { rawValue }

  func graph(_ model: ObjectModel) throws -> any ImportingGraph {
    switch self {
    case .memory: MemoryGraph(model: model)
    case .sqlite: try SQLiteGraph.temporary(model)
    }
  }

  func shop() throws -> any ImportingGraph { try graph(shopModel()) }
}

/// Orders with lines of articles, articles with tags: every kind of relationship, and identities of every kind.
func shopModel() throws -> ObjectModel {
  try ObjectModel(
    yaml: """
      version: 1
      name: Shop
      entities:
        Order:
          attributes: {number: Integer 32, note: String?, rush: {type: Boolean, default: false}, modified: Date?}
          relationships:
            customer: {destination: Customer, optional: true, inverse: orders}
            lines:    {destination: Line, toMany: true, ordered: true, inverse: order, deleteRule: cascade}
          uniquenessConstraints: [[number]]
        Line:
          attributes: {position: Integer 16, quantity: {type: Decimal, optional: true, min: 0}}
          relationships:
            order:   {destination: Order, inverse: lines}
            article: {destination: Article, optional: true, inverse: lines}
          uniquenessConstraints: [[order, position]]
        Article:
          attributes: {name: String, price: Double?}
          relationships:
            lines: {destination: Line, toMany: true, inverse: article}
            tags:  {destination: Tag, toMany: true, inverse: articles}
          uniquenessConstraints: [[name]]
        Tag:
          attributes: {name: String}
          relationships: {articles: {destination: Article, toMany: true, inverse: tags}}
          uniquenessConstraints: [[name]]
        Customer:
          attributes: {name: String, mail: String?}
          relationships:
            orders: {destination: Order, toMany: true, inverse: customer}
            card:   {destination: Card, optional: true, inverse: owner}
          uniquenessConstraints: [[name]]
        Card:
          attributes: {code: UUID}
          relationships: {owner: {destination: Customer, inverse: card}}
          uniquenessConstraints: [[code]]
        Place: {abstract: true, attributes: {text: String?}}
        Shelf: {parent: Place, attributes: {name: String}, uniquenessConstraints: [[name]]}
        Aisle: {parent: Place, attributes: {name: {type: String, column: aisle_name}}, uniquenessConstraints: [[name]]}
      """)
}

/// Folders with ordered notes and tags.
///
/// - Parameters:
///   - note: what notes are beside their relationships.
///   - others: lines of further entities.
func folderModel(note: String, _ others: String = "") throws -> ObjectModel {
  try ObjectModel(
    yaml: """
      version: 1
      name: Folders
      entities:
        Folder:
          attributes: {name: String}
          relationships:
            notes: {destination: Note, toMany: true, ordered: true, inverse: folder}
            tags: {destination: Note, toMany: true, ordered: true, inverse: tagged}
          uniquenessConstraints: [[name]]
        Note:
          \(note)
          relationships:
            folder: {destination: Folder, optional: true, inverse: notes}
            tagged: {destination: Folder, toMany: true, inverse: tags}
      \(others)
      """)
}

let ordersMapping = """
  rows: orders
  entity: Order
  attributes: {number: '@number', note: '@note', rush: '@rush'}
  relationships:
    customer: {attributes: {name: '@customer'}}
    lines:
      rows: lines
      attributes: {position: '@position', quantity: '@quantity'}
      relationships:
        article:
          attributes: {name: '@article', price: '@price'}
          relationships: {tags: {rows: tags, attributes: {name: '@'}}}
  """

/// A file that is removed with its last user.
struct TestFile {
  private let folder: TemporaryFolder
  let path: String

  init(_ text: String, _ ending: String) throws {
    try self.init(bytes: Array(text.utf8), ending)
  }

  init(bytes: [UInt8], _ ending: String) throws {
    folder = try TemporaryFolder()
    path = try folder.write(bytes, to: "rows.\(ending)").path
  }
}

extension ImportingGraph {
  /// Imports a text as a file.
  @discardableResult
  func importText(
    _ text: String, _ format: FileFormat, _ mapping: String, _ options: ImportOptions = ImportOptions(),
    transferOptions: TransferOptions = TransferOptions()
  ) throws -> TransferReport {
    let file = try TestFile(text, format.rawValue)
    return try #require(
      try importFile(
        file.path, mapping: ImportMapping(yaml: mapping, path: "map.yml"), options: options,
        transferOptions: transferOptions))
  }

  /// Everything that the graph holds, without keys: a line an object.
  func lines() throws -> [String] {
    let snapshot = try GraphSnapshot(self)
    func label(_ id: ObjectID) -> String {
      let values = snapshot.contents[id]!.attributes.sorted { $0.key < $1.key }
      return "\(id.entity)(" + values.map { "\($0): \($1)" }.joined(separator: ", ") + ")"
    }
    return snapshot.objects.map { id in
      let relationships = snapshot.contents[id]!.relationships.sorted { $0.key < $1.key }.map {
        name, members in
        let isOrdered = model.relationship(name, of: id.entity)!.isOrdered
        let labels = isOrdered ? members.map(label) : members.map(label).sorted()
        return "\(name): [\(labels.joined(separator: ", "))]"
      }
      return label(id) + " " + relationships.joined(separator: " ")
    }.sorted()
  }
}

/// The message of the error that a call throws.
func message(_ body: () throws -> Void) -> String {
  do {
    try body()
    return "no error"
  } catch { return "\(error)" }
}
