/// What is wrong with a model, found without any data.
///
/// ```swift
/// for finding in ModelValidator.validate(model) { print(finding.message) }
/// ```
public enum ModelValidator {
  /// Every finding about structure, mapping and annotations, errors and warnings.
  ///
  /// One cause gives one finding: what hangs on a name that does not exist is not judged.
  public static func validate(_ model: ObjectModel) -> [Diagnostic] {
    validate(model, isWhole: true)
  }

  /// - Parameter isWhole: whether all that was written is in the model; else what a clone would contain is not known.
  static func validate(_ model: ObjectModel, isWhole: Bool) -> [Diagnostic] {
    let checks = ModelChecks(model, keys: model.userInfoKeys)
    return [structure(checks), mapping(checks), annotations(checks), isWhole ? graph(checks) : []]
      .flatMap { $0 }
  }

  /// The findings about annotations alone, read under other names of their keys than the model's.
  public static func annotationFindings(_ model: ObjectModel, keys: AnnotationKeys) -> [Diagnostic] {
    annotations(ModelChecks(model, keys: keys))
  }

  /// The entities without a uniqueness constraint, which matters only where objects move.
  public static func identityFindings(_ model: ObjectModel) -> [Diagnostic] {
    ModelChecks(model, keys: model.userInfoKeys).objectsCanBeFoundAgain()
  }

  /// What copies of objects would hold, as far as the model alone shows it; all are warnings.
  private static func graph(_ checks: ModelChecks) -> [Diagnostic] {
    // Where a relationship has an unknown destination it is not known what a clone reaches.
    guard !checks.lacksRelationships, checks.orphans.isEmpty else { return [] }
    let graph = GraphChecks(checks)
    return [
      graph.inversesAreNamed(),
      graph.uniqueValuesAreRenewed(),
      graph.ownedObjectsKeepTheirOwnersOut(),
      graph.followersHaveOneParent(),
      graph.clonesKeepOutOfOtherAggregates(),
      graph.clonesDoNotReturnToTheirKind(),
      graph.ownersFormNoCycle(),
      graph.exclusionsHoldOnBothSides(),
    ].flatMap { $0 }
  }

  private static func structure(_ checks: ModelChecks) -> [Diagnostic] {
    [
      checks.entityNamesAreUnique(),
      checks.propertyNamesAreUnique(),
      checks.parentsExist(),
      checks.parentsFormNoCycle(),
      checks.ancestriesAreShort(),
      checks.abstractEntitiesHaveConcreteOnes(),
      checks.subEntitiesLieInTheirParentsTable(),
      checks.discriminatorsDiffer(),
      checks.defaultsFitTheirTypes(),
      checks.limitsAreInOrder(),
      checks.patternsAreRegularExpressions(),
      checks.destinationsExist(),
      checks.inversesAgree(),
      checks.onlyToManyRelationshipsAreOrdered(),
      checks.countsMakeSense(),
      checks.uniquenessConstraintsNameProperties(),
      checks.attributesOfTriggersAreFree(),
    ].flatMap { $0 }
  }

  private static func mapping(_ checks: ModelChecks) -> [Diagnostic] {
    [
      checks.tablesAreNotShared(),
      checks.columnsAreNotShared(),
      checks.keysAreSound(),
      checks.storageFormsFitTheirTypes(),
      checks.foreignKeysLieOnOneSide(),
      checks.foreignKeysMatchTheirKeys(),
      checks.referencedColumnsAreUnique(),
      checks.orderColumnsBelongToOrderedRelationships(),
      checks.joinTablesJoinToManyRelationships(),
      checks.joinTablesAgree(),
      checks.joinColumnsDiffer(),
      checks.joinTablesAreNotShared(),
    ].flatMap { $0 }
  }

  private static func annotations(_ checks: ModelChecks) -> [Diagnostic] {
    [
      checks.annotationKeysAreSpeltRight(),
      checks.annotationValuesAreKnown(),
      checks.annotationsStandWhereTheyBelong(),
      checks.annotationsTakeEffect(),
      checks.keyAttributesAreOnlyRebuilt(),
      checks.rebuildFitsItsType(),
      checks.excludedAttributesMayBeEmpty(),
      checks.blankAttributesMayBeEmpty(),
      checks.followedAttributesExist(),
      checks.followersSayWhatHoldsWithoutParent(),
      checks.excludedRelationshipsMayBeEmpty(),
      checks.linkedRelationshipsCanBeShared(),
      checks.excludeHasNoValueThatMeansNo(),
    ].flatMap { $0 }
  }
}
