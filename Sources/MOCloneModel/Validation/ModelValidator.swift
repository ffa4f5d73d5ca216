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
    validate(model, ReadParts()).findings
  }

  /// How much of what was written is in the model.
  struct ReadParts {
    /// What was not understood.
    var damaged: Set<ModelPath> = []
    /// The relationships whose delete rule is written.
    var deleteRules: Set<ModelPath> = []
  }

  /// - Returns: the findings, and the entities of which it is not known what clones would contain: nil stands for all.
  static func validate(
    _ model: ObjectModel, _ parts: ReadParts
  ) -> (findings: [Diagnostic], unchecked: [String]?) {
    let checks = ModelChecks(model, keys: model.userInfoKeys)
    let (graph, unchecked) = graph(checks, damaged: parts.damaged)
    let rules = checks.nullifiedRelationshipsMayBeEmpty(parts.deleteRules)
    return (
      [structure(checks), rules, mapping(checks), annotations(checks), graph].flatMap { $0 }, unchecked
    )
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
  ///
  /// An error hides only what is said of the entities that it touches.
  private static func graph(
    _ checks: ModelChecks, damaged: Set<ModelPath>
  ) -> (findings: [Diagnostic], unchecked: [String]?) {
    let isReadable = damaged.allSatisfy { $0.components.first == "entities" && $0.components.count > 1 }
    guard isReadable else { return ([], nil) }
    let unclear = checks.unclearEntities.union(damaged.flatMap(checks.entities(touchedBy:)))
    let findings = graph(checks).filter { finding in
      ([finding.path] + finding.notes.map(\.path)).allSatisfy { path in
        path.components.count < 2 || !unclear.contains(path.components[1])
      }
    }
    return (findings, checks.entities.map(\.name).filter(unclear.contains))
  }

  /// The relationships over which clones return to their own kind, without the other findings.
  package static func returningFindings(_ model: ObjectModel) -> [Diagnostic] {
    GraphChecks(ModelChecks(model, keys: model.userInfoKeys)).clonesDoNotReturnToTheirKind()
  }

  private static func graph(_ checks: ModelChecks) -> [Diagnostic] {
    let graph = GraphChecks(checks)
    return [
      graph.inversesAreNamed(),
      graph.uniqueValuesAreRenewed(),
      graph.keysAreRenewed(),
      graph.ownedObjectsKeepTheirOwnersOut(),
      graph.followersHaveOneParent(),
      graph.clonesKeepOutOfOtherAggregates(),
      graph.clonesDoNotReturnToTheirKind(),
      graph.requiredOwnersFormNoCycle(),
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
      checks.namesCanBeRead(),
      checks.limitsAreInOrder(),
      checks.defaultsAreAllowed(),
      checks.patternsAreRegularExpressions(),
      checks.destinationsExist(),
      checks.inversesAgree(),
      checks.onlyToManyRelationshipsAreOrdered(),
      checks.countsMakeSense(),
      checks.uniquenessConstraintsNameProperties(),
      checks.uniquenessConstraintsDiffer(),
      checks.formerNamesAreFree(),
      checks.cascadesSpareSharedObjects(),
      checks.attributesOfTriggersAreFree(),
    ].flatMap { $0 }
  }

  private static func mapping(_ checks: ModelChecks) -> [Diagnostic] {
    [
      checks.tablesAreNotShared(),
      checks.columnsAreNotShared(),
      checks.keysAreSound(),
      checks.keyColumnsBelongToProperties(),
      checks.keyAttributesAreStored(),
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
      checks.annotationKeysDiffer(),
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
