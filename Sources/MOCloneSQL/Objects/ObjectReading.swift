import MOCloneEngine
import MOCloneModel

/// Reads objects one by one, whatever they lie in.
package protocol ObjectReading {
  func value(_ attribute: String, of object: ObjectID) throws -> AttributeValue
  func destinations(_ relationship: String, of object: ObjectID) throws -> [ObjectID]
}

extension RowAccess: ObjectReading {}

struct GraphReading: ObjectReading {
  let graph: any ObjectGraph

  func value(_ attribute: String, of object: ObjectID) throws -> AttributeValue {
    try graph.value(attribute, of: object)
  }

  func destinations(_ relationship: String, of object: ObjectID) throws -> [ObjectID] {
    try graph.destinations(relationship, of: object)
  }
}
