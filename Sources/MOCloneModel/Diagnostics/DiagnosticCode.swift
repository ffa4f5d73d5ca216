/// The stable name of a kind of finding or of a run's error, as `moclone explain` knows it.
public enum DiagnosticCode: String, Sendable, Hashable, Codable, CaseIterable {
  // The file and its YAML
  case syntax
  case unreadableFile = "unreadable-file"
  case fileTooLarge = "file-too-large"
  case notUTF8 = "not-utf8"
  case emptyModel = "empty-model"
  case severalDocuments = "several-documents"
  case tooManyValues = "too-many-values"
  case nestedTooDeep = "nested-too-deep"
  case unsupportedYAML = "unsupported-yaml"
  case missingSpace = "missing-space"
  case duplicateKey = "duplicate-key"

  // Keys and values of the format
  case wrongKind = "wrong-kind"
  case unknownKey = "unknown-key"
  case missingKey = "missing-key"
  case unknownValue = "unknown-value"
  case unsupportedVersion = "unsupported-version"
  case unsupportedNaming = "unsupported-naming"
  case defaultOfAnotherType = "default-type"

  // Errors of a run
  case unknownEntity = "unknown-entity"
  case noSuchObject = "no-such-object"
  case unknownName = "unknown-name"
  case invalidValue = "invalid-value"
  case invalidKey = "invalid-key"
  case requiredLeftEmpty = "required-left-empty"
  case uniqueValue = "unique-value"
  case missingAncestor = "missing-ancestor"
  case keyNeedsValue = "key-needs-value"
  case noRoomForKeys = "no-room-for-keys"
  case unknownDiscriminator = "unknown-discriminator"
  case unmappedColumn = "unmapped-column"
  case storeMismatch = "store-mismatch"
  case rowCount = "row-count"
  case constraintFailed = "constraint-failed"
  case storeBusy = "store-busy"
  case storeFull = "store-full"
  case storeReadOnly = "store-read-only"
  case storeDamaged = "store-damaged"
  case storeFailed = "store-failed"
  case deleteDenied = "delete-denied"
  case graphEnded = "graph-ended"
  case noSuchStore = "no-such-store"
}
