import MOCloneEngine
import MOCloneSQL

extension SQLiteGraph: MovingGraph {
  /// Every key of the metadata with its value; none where the store has no table for them.
  public func metadata() throws -> [String: String] {
    try read { try $0.metadata.all() }
  }

  /// The value of a key, nil where there is none.
  public func metadata(_ key: String) throws -> String? {
    try read { try $0.metadata.value(key) }
  }

  /// Sets the value of a key, and makes the table for the metadata where it is missing.
  public func setMetadata(_ value: String, for key: String) throws {
    try write { try $0.metadata.set(value, for: key) }
  }

  /// Removes a key, and says whether there was one.
  @discardableResult
  public func removeMetadata(_ key: String) throws -> Bool {
    try write { try $0.metadata.remove(key) }
  }
}
