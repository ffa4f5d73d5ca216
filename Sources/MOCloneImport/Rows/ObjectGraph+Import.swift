import Foundation
import MOCloneEngine
import MOCloneModel

extension ImportingGraph {
  /// Imports a file: every row finds or makes an object, and what it is related to.
  ///
  /// ```swift
  /// let mapping = try ImportMapping(contentsOf: URL(fileURLWithPath: "map.yml"))
  /// let report = try graph.importFile("items.csv", mapping: mapping, options: ImportOptions(existing: .update))
  /// ```
  ///
  /// The file is read as a stream: one that is larger than the memory passes. All happens or nothing.
  ///
  /// - Parameters:
  ///   - path: the file; `-` is standard input, whose format `options` must name.
  ///   - mapping: what each row is.
  ///   - options: what is done with objects that exist and with bad rows, and how the file is read.
  ///   - transferOptions: how the import is run and watched.
  /// - Returns: what was done; nil where it is marked as done before.
  /// - Throws: `ModelError` with every finding in the mapping; `CloneError` with the bad rows (`bad-row`) or the place where
  ///   the file is broken (`broken-file`).
  @discardableResult
  public func importFile(
    _ path: String, mapping: ImportMapping, options: ImportOptions = ImportOptions(),
    transferOptions: TransferOptions = TransferOptions()
  ) throws -> TransferReport? {
    try transferOptions.whole {
      try FileImport(
        self, of: { try ByteSource(path: path) }, format: options.format ?? FileFormat(ofFile: path),
        mapping: mapping, options: options, transferOptions: $0
      ).perform()
    }
  }

  /// Imports the file at a URL, as ``importFile(_:mapping:options:transferOptions:)`` does.
  @discardableResult
  public func importFile(
    at url: URL, mapping: ImportMapping, options: ImportOptions = ImportOptions(),
    transferOptions: TransferOptions = TransferOptions()
  ) throws -> TransferReport? {
    guard url.isFileURL else {
      return try transferOptions.whole { _ in
        throw CloneError(
          .unreadableFile,
          "'\(url.absoluteString)' is not the URL of a file", help: "load it, and import it with importData")
      }
    }
    return try importFile(url.path, mapping: mapping, options: options, transferOptions: transferOptions)
  }

  /// Imports bytes in memory, such as an answer of a server, as ``importFile(_:mapping:options:transferOptions:)``
  /// imports a file.
  ///
  /// - Parameters:
  ///   - data: the bytes.
  ///   - name: what they are called in messages.
  ///   - format: what they are.
  ///   - mapping: what each row is.
  ///   - options: what is done with objects that exist and with bad rows.
  ///   - transferOptions: how the import is run and watched.
  @discardableResult
  public func importData(
    _ data: Data, name: String = "data", format: FileFormat, mapping: ImportMapping,
    options: ImportOptions = ImportOptions(), transferOptions: TransferOptions = TransferOptions()
  ) throws -> TransferReport? {
    try transferOptions.whole {
      try FileImport(
        self, of: { try ByteSource(data: data, name: name) }, format: format, mapping: mapping,
        options: options, transferOptions: $0
      ).perform()
    }
  }

  /// Imports what a handle reads, such as a pipe.
  ///
  /// - Parameters:
  ///   - handle: what is read, to its end.
  ///   - name: what it is called in messages.
  ///   - format: what it gives.
  ///   - mapping: what each row is.
  ///   - options: what is done with objects that exist and with bad rows.
  ///   - transferOptions: how the import is run and watched.
  @discardableResult
  public func importFile(
    reading handle: FileHandle, name: String, format: FileFormat, mapping: ImportMapping,
    options: ImportOptions = ImportOptions(), transferOptions: TransferOptions = TransferOptions()
  ) throws -> TransferReport? {
    try transferOptions.whole {
      try FileImport(
        self, of: { ByteSource(handle: handle, name: name) }, format: format, mapping: mapping,
        options: options, transferOptions: $0
      ).perform()
    }
  }
}
