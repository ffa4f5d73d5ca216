extension DiagnosticCode {
  /// The severity that findings of the code have, where nothing else is said.
  public var defaultSeverity: Severity {
    if Self.notes.contains(self) { return .note }
    return Self.warnings.contains(self) ? .warning : .error
  }

  private static let warnings: Set<DiagnosticCode> = [
    .abstractWithoutSubEntity, .annotationWithoutEffect, .conflictingAnnotations, .excludeValue,
    .followWithoutFallback, .linkLeavesOut,
    .missingInverse, .uniqueCopied, .joinsOtherAggregate, .returnsToKind, .ownershipCycle, .climbsToOwner,
    .ambiguousParent, .oneSidedExclude,
    .columnType, .requiredNull, .nullKey, .unknownUnique, .missingUnique, .deleteAction, .insertTrigger,
    .insertRefused,
    .generatedColumn, .invalidName, .malformedValue, .nullifyRequired, .cascadeToShared, .formerName,
    .duplicateConstraint, .unknownKeyColumn,
    .derivedColumn, .triggerColumn, .triggerMissing, .unknownReference, .missingIndex, .foreignKeyViolation,
    .missingRight,
    .invalidSuppression, .unusedSuppression, .staleBaseline,
  ]

  private static let notes: Set<DiagnosticCode> = [
    .noIdentity, .missingForeignKey, .unmappedColumn, .unmappedTable,
    .entityAdded, .rootAllowed, .newlyCloned, .newlyLinked, .newlyCopied, .ruleChanged, .renamed,
  ]
}
