import MOCloneEngine
import MOCloneModel

/// One kind of object that rows make, as far as the mapping has told of it.
final class ImportNode {
  /// How its rows are tied to those of the node above.
  enum Link {
    case root
    /// Its own row holds the reference to the one above.
    case below(reference: Int)
    /// The row above holds the reference to it.
    case above(reference: Int)
    /// A pair of the plan holds both; `isInverse` where it begins at the row below.
    case joinRow(Int, isInverse: Bool)
  }

  /// The number of the entity in the plan.
  var entity: Int
  let name: String
  var link = Link.root
  /// The relationship that leads here.
  var relationship: RelationshipDescription?
  /// The number of the nested rows; nil where the values are in the row above.
  var nested: Int?
  var rowsName: String?
  var below: [ImportNode] = []
  /// The properties that get values, by their names.
  var given: Set<String>
  /// Where the values of the attributes come from.
  var sources: [String: ImportMapping.Source]
  /// The numbers of the row's values, by the attributes that they go to.
  var fields: [String: Int] = [:]
  /// The values that the object is found by, by their places.
  var identity: [Int] = []
  /// References that the object is found by, too.
  var identityReferences: [Int] = []
  var identityNames = ""

  init(_ entity: Int, name: String, mapping: ImportMapping.Node) {
    self.entity = entity
    self.name = name
    sources = mapping.values
    given = Set(sources.keys)
  }
}
