extension MemoryGraph: TransferGraph {
  /// Every key of the metadata with its value; never throws.
  public func metadata() throws -> [String: String] {
    store.metadata
  }

  /// The value of a key, nil where there is none; never throws.
  public func metadata(_ key: String) throws -> String? {
    store.metadata[key]
  }

  /// Sets the value of a key, which is pending until `save()`.
  public func setMetadata(_ value: String, for key: String) throws {
    store.metadata[key] = value
  }

  /// Removes a key, which is pending until `save()`, and says whether there was one.
  @discardableResult
  public func removeMetadata(_ key: String) throws -> Bool {
    store.metadata.removeValue(forKey: key) != nil
  }
}
