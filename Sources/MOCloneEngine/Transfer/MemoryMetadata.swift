extension MemoryGraph: MovingGraph {
  public func metadata() throws -> [String: String] {
    store.metadata
  }

  public func metadata(_ key: String) throws -> String? {
    store.metadata[key]
  }

  public func setMetadata(_ value: String, for key: String) throws {
    store.metadata[key] = value
  }

  @discardableResult
  public func removeMetadata(_ key: String) throws -> Bool {
    store.metadata.removeValue(forKey: key) != nil
  }
}
