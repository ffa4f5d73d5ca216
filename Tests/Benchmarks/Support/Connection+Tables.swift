import MOCloneKit

extension Connection {
  /// Makes the tables and indexes of a model, as `moclone store init` does.
  func makeTables(_ yaml: String) throws {
    for statement in try SchemaWriter(ObjectModel(yaml: yaml)).statements() { try execute(statement) }
  }
}
