/// The stable name of a kind of finding or of a run's error, as `moclone explain` knows it.
public enum DiagnosticCode: String, Sendable, Hashable, Codable, CaseIterable {
  // The file and its YAML
  /// The file is not well-formed YAML.
  case syntax
  /// The file does not exist, is a folder, or may not be read.
  case unreadableFile = "unreadable-file"
  /// The file is larger than the limit of 8 MB.
  case fileTooLarge = "file-too-large"
  /// The file is not UTF-8.
  case notUTF8 = "not-utf8"
  /// The file is empty or contains only comments.
  case emptyModel = "empty-model"
  /// The file contains a second YAML document.
  case severalDocuments = "several-documents"
  /// The file contains more values than a model can have.
  case tooManyValues = "too-many-values"
  /// Maps and lists are nested more than 64 levels deep.
  case nestedTooDeep = "nested-too-deep"
  /// The file uses a tag, an alias, a merge key or another feature of YAML that models do not support.
  case unsupportedYAML = "unsupported-yaml"
  /// A space is missing after a colon, as in `name:String`.
  case missingSpace = "missing-space"
  /// A map has a duplicate key.
  case duplicateKey = "duplicate-key"

  // Keys and values of the format
  /// A value is of the wrong kind, such as a list in place of a map.
  case wrongKind = "wrong-kind"
  /// A key is unknown where it is written.
  case unknownKey = "unknown-key"
  /// A required key is missing.
  case missingKey = "missing-key"
  /// A value is not one of those that its key can have.
  case unknownValue = "unknown-value"
  /// The version of the format is not 1.
  case unsupportedVersion = "unsupported-version"

  // Structure of a model
  /// Two entities of a model built in code have the same name.
  case duplicateEntity = "duplicate-entity"
  /// An entity has two properties of the same name, inherited ones included.
  case duplicateProperty = "duplicate-property"
  /// An entity names a parent that the model does not have.
  case unknownParent = "unknown-parent"
  /// An entity inherits from itself.
  case inheritanceCycle = "inheritance-cycle"
  /// An entity has more than 32 ancestors.
  case inheritanceTooDeep = "inheritance-too-deep"
  /// An abstract entity has no concrete sub-entity.
  case abstractWithoutSubEntity = "abstract-without-sub-entity"
  /// A sub-entity names a table or key of its own.
  case subEntityTable = "sub-entity-table"
  /// A sub-entity names another discriminator column than its root entity.
  case discriminatorColumn = "discriminator-column"
  /// Two entities of one table have the same discriminator value.
  case duplicateDiscriminator = "duplicate-discriminator"
  /// A default is not a value of the attribute's type.
  case defaultOfAnotherType = "default-type"
  /// A default is outside of its own attribute's limits.
  case defaultOutsideLimits = "default-outside-limits"
  /// A name is empty, or has characters that cannot be seen or that separate names.
  case invalidName = "invalid-name"
  /// A deletion would leave a required relationship empty.
  case nullifyRequired = "nullify-required"
  /// A deletion takes along objects that others are linked to.
  case cascadeToShared = "cascade-to-shared"
  /// The former name of an entity or an attribute is a name that the model still has.
  case formerName = "former-name"
  /// The least value of an attribute is greater than its greatest.
  case invalidRange = "invalid-range"
  /// A pattern is not a regular expression, or its attribute is not a String.
  case invalidPattern = "invalid-pattern"
  /// Triggers cannot maintain an attribute as it is declared.
  case triggerAttribute = "trigger-attribute"
  /// The destination of a relationship is not an entity of the model.
  case unknownDestination = "unknown-destination"
  /// A relationship names an inverse that its destination does not have.
  case unknownInverse = "unknown-inverse"
  /// A relationship is its own inverse.
  case inverseOfItself = "inverse-of-itself"
  /// The inverse of a relationship has another destination than the relationship's entity.
  case inverseOfOtherEntity = "inverse-of-other-entity"
  /// Two relationships do not name each other as inverse.
  case inverseMismatch = "inverse-mismatch"
  /// A to-one relationship is ordered.
  case orderedToOne = "ordered-to-one"
  /// The least and greatest counts of a relationship contradict each other or its kind.
  case invalidCount = "invalid-count"
  /// A uniqueness constraint names a property that the entity does not have.
  case unknownConstraintProperty = "unknown-constraint-property"
  /// A uniqueness constraint names a to-many relationship.
  case toManyInConstraint = "to-many-in-constraint"
  /// A uniqueness constraint names a transient attribute.
  case transientInConstraint = "transient-in-constraint"
  /// A uniqueness constraint is written twice.
  case duplicateConstraint = "duplicate-constraint"
  /// An entity has no uniqueness constraint, so its objects cannot be matched in another store.
  case noIdentity = "no-identity"

  // Where a model is in SQL
  /// Two entities, or an entity and a join table, use the same table.
  case sharedTable = "shared-table"
  /// Two properties use the same column.
  case sharedColumn = "shared-column"
  /// A primary key repeats a column, or has a rowid as one of several parts.
  case invalidPrimaryKey = "invalid-primary-key"
  /// A part of a primary key is not the column of any property, and nothing generates it.
  case unknownKeyColumn = "unknown-key-column"
  /// A storage form does not apply to the type of its attribute.
  case storageMismatch = "storage-mismatch"
  /// Both sides of a one-to-one relationship name a column.
  case twoForeignKeys = "two-foreign-keys"
  /// A to-many relationship with an inverse names a column.
  case columnOnToMany = "column-on-to-many"
  /// A foreign key has more or fewer columns than the key it holds.
  case foreignKeyColumns = "foreign-key-columns"
  /// A foreign key references columns that are not unique.
  case referenceNotUnique = "reference-not-unique"
  /// A relationship names an order column, but is not ordered.
  case orderColumnWithoutOrder = "order-column-without-order"
  /// A to-one relationship has a join table.
  case joinTableOnToOne = "join-table-on-to-one"
  /// The two sides of a relationship describe different join tables.
  case joinTableMismatch = "join-table-mismatch"
  /// The columns of a join table have the same name, or there are too few or too many of them.
  case joinColumns = "join-columns"
  /// Two relationships use the same columns of one join table.
  case sharedJoinTable = "shared-join-table"

  // Annotations
  /// A key in `userInfo` is almost the name of an annotation.
  case misspeltAnnotation = "misspelt-annotation"
  /// An annotation has an unknown value.
  case unknownAnnotationValue = "unknown-annotation-value"
  /// An annotation for attributes is on a relationship, or the reverse.
  case misplacedAnnotation = "misplaced-annotation"
  /// An annotation is in a place where it has no effect.
  case annotationWithoutEffect = "annotation-without-effect"
  /// One annotation prevents another from ever taking effect.
  case conflictingAnnotations = "conflicting-annotations"
  /// An attribute in a key column has an annotation other than `rebuild: uuid`.
  case keyAnnotation = "key-annotation"
  /// The annotation `rebuild` produces a value of another type than the attribute's.
  case rebuildType = "rebuild-type"
  /// A required attribute without a default is excluded.
  case requiredExcluded = "required-excluded"
  /// The annotation `withoutParent: blank` would leave a required attribute empty.
  case blankRequired = "blank-required"
  /// The annotation `followParent` names an entity that the model does not have.
  case unknownFollowedEntity = "unknown-followed-entity"
  /// The annotation `followParent` names an attribute that no possible ancestor has.
  case unknownFollowedAttribute = "unknown-followed-attribute"
  /// The annotation `followParent` names an attribute of another type.
  case followedType = "followed-type"
  /// The annotation `followParent` has no `withoutParent` beside it.
  case followWithoutFallback = "follow-without-fallback"
  /// The annotation `withoutParent` has no `followParent` beside it.
  case fallbackWithoutFollow = "fallback-without-follow"
  /// A required relationship is excluded.
  case requiredRelationshipExcluded = "required-relationship-excluded"
  /// The annotation `onClone: link` is used where linking would change an original.
  case linkLeavesOut = "link-leaves-out"
  /// The annotation `exclude` has a value that looks like no, but the key alone excludes.
  case excludeValue = "exclude-value"

  // What a clone would contain
  /// A relationship names no inverse, so its destinations are always cloned.
  case missingInverse = "missing-inverse"
  /// Clones repeat a unique value: it is copied, or a rule gives several objects the same one.
  case uniqueCopied = "unique-copied"
  /// Cloning an owned object clones its owner.
  case climbsToOwner = "climbs-to-owner"
  /// The ancestor of a followed attribute depends on the access path.
  case ambiguousParent = "ambiguous-parent"
  /// A clone adds members to a list that an object outside the clone owns.
  case joinsOtherAggregate = "joins-other-aggregate"
  /// A clone leads over objects that it does not own to others of the kind that it began with.
  case returnsToKind = "returns-to-kind"
  /// Objects own each other in a cycle, and each needs its owner.
  case ownershipCycle = "ownership-cycle"
  /// The other side of an excluded relationship writes the same links.
  case oneSidedExclude = "one-sided-exclude"

  // A model and its database
  /// A column is declared for another kind of value than its attribute has.
  case columnType = "column-type"
  /// A column is NOT NULL, but the model can leave it empty.
  case columnRequired = "column-required"
  /// Rows hold null where the model requires a value.
  case requiredNull = "required-null"
  /// A row has no key, because a column of its primary key is null.
  case nullKey = "null-key"
  /// A unique index that the model does not name would refuse a clone.
  case unknownUnique = "unknown-unique"
  /// The database does not enforce a uniqueness constraint of the model.
  case missingUnique = "missing-unique"
  /// The database's role lacks a right to a table.
  case missingRight = "missing-right"
  /// The database hides rows of a table from its role.
  case rowSecurity = "row-security"
  /// A foreign key of the database references another table, or other columns, than the model's relationship.
  case foreignKeyMismatch = "foreign-key-mismatch"
  /// The database declares no foreign key for a relationship.
  case missingForeignKey = "missing-foreign-key"
  /// The database deletes by another rule than the model.
  case deleteAction = "delete-action"
  /// A trigger runs for every row that a clone inserts.
  case insertTrigger = "insert-trigger"
  /// Inserting a row needs something that the connection does not have, such as a function of the app.
  case insertRefused = "insert-refused"
  /// An attribute or reference has a generated column.
  case generatedColumn = "generated-column"
  /// A derived attribute has a plain column.
  case derivedColumn = "derived-column"
  /// A trigger writes a column whose value is copied.
  case triggerColumn = "trigger-column"
  /// No trigger writes a column that triggers should maintain.
  case triggerMissing = "trigger-missing"
  /// The database has tables that the model does not name.
  case unmappedTable = "unmapped-table"
  /// A table references a table of the model, but not by a relationship.
  case unknownReference = "unknown-reference"
  /// Following a relationship scans a table, because an index is missing.
  case missingIndex = "missing-index"
  /// Stored values cannot be read as the type of their attribute, or most UUIDs have another form than new ones.
  case malformedValue = "malformed-value"
  /// Rows reference missing rows.
  case foreignKeyViolation = "foreign-key-violation"

  // What `moclone diff` finds
  /// A change of the model removes an entity or makes it abstract.
  case entityRemoved = "entity-removed"
  /// After a change of the model an entity can no longer be cloned by itself.
  case rootRefused = "root-refused"
  /// After a change of the model a copied value must be unique.
  case constraintAdded = "constraint-added"
  /// Data that exists may not fit the model any more.
  case dataTightened = "data-tightened"
  /// After a change of the model related objects are no longer copied.
  case noLongerCloned = "no-longer-cloned"
  /// After a change of the model related objects are linked in place of copied.
  case copyBecameLink = "copy-became-link"
  /// After a change of the model related objects are copied in place of linked.
  case linkBecameCopy = "link-became-copy"
  /// After a change of the model copies join a list of an object that is not copied.
  case joinsOthers = "joins-others"
  /// After a change of the model related objects are no longer linked.
  case noLongerLinked = "no-longer-linked"
  /// After a change of the model a list is no longer copied in its order.
  case noLongerOrdered = "no-longer-ordered"
  /// After a change of the model a value is no longer copied.
  case noLongerCopied = "no-longer-copied"
  /// After a change of the model a value is no longer rebuilt.
  case noLongerRebuilt = "no-longer-rebuilt"
  /// After a change of the model a value no longer follows an ancestor.
  case noLongerFollowing = "no-longer-following"
  /// After a change of the model a value follows another ancestor.
  case followsAnother = "follows-another"
  /// A change of the model adds an entity.
  case entityAdded = "entity-added"
  /// After a change of the model an entity can be cloned by itself.
  case rootAllowed = "root-allowed"
  /// After a change of the model related objects are copied, too.
  case newlyCloned = "newly-cloned"
  /// After a change of the model related objects are linked, too.
  case newlyLinked = "newly-linked"
  /// After a change of the model a value is copied, too.
  case newlyCopied = "newly-copied"
  /// After a change of the model a value has another rule.
  case ruleChanged = "rule-changed"
  /// A change of the model gives an entity or an attribute another name.
  case renamed

  // Accepted findings
  /// A comment that should allow a finding has no effect.
  case invalidSuppression = "invalid-suppression"
  /// A comment allows a finding that no longer exists.
  case unusedSuppression = "unused-suppression"
  /// A baseline lists a finding that no longer exists.
  case staleBaseline = "stale-baseline"

  // Clones of random graphs
  /// A clone changes an object that was there before.
  case originalChanged = "original-changed"
  /// A clone is linked to an original that was cloned as well.
  case openReference = "open-reference"
  /// A second clone of an object is refused, or holds something else than the first.
  case notRepeatable = "not-repeatable"

  // Errors of a run
  /// The model has no entity of the name given.
  case unknownEntity = "unknown-entity"
  /// The store has no object with the key given.
  case noSuchObject = "no-such-object"
  /// A request or a file uses a name that nothing has.
  case unknownName = "unknown-name"
  /// A given value is not valid.
  case invalidValue = "invalid-value"
  /// A given key has the wrong number of parts, or a part of the wrong type.
  case invalidKey = "invalid-key"
  /// A required property of a clone would be empty.
  case requiredLeftEmpty = "required-left-empty"
  /// A clone would repeat a unique value.
  case uniqueValue = "unique-value"
  /// A followed attribute has no ancestor to follow.
  case missingAncestor = "missing-ancestor"
  /// The key of a clone is neither generated nor given.
  case keyNeedsValue = "key-needs-value"
  /// A table already holds the greatest possible integer key, so it has no room for new ones.
  case noRoomForKeys = "no-room-for-keys"
  /// The discriminator of a row belongs to no entity.
  case unknownDiscriminator = "unknown-discriminator"
  /// A table has a column that the model does not name.
  case unmappedColumn = "unmapped-column"
  /// The database lacks a table or column of the model.
  case storeMismatch = "store-mismatch"
  /// The number of written rows is not the planned one.
  case rowCount = "row-count"
  /// The database refused a clone by one of its constraints.
  case constraintFailed = "constraint-failed"
  /// Another process or connection is writing to the store.
  case storeBusy = "store-busy"
  /// The disk is full.
  case storeFull = "store-full"
  /// The store cannot be written.
  case storeReadOnly = "store-read-only"
  /// The store was created by Core Data, and only Core Data can change it.
  case coreDataStore = "core-data-store"
  /// The file is not a valid SQLite database.
  case storeDamaged = "store-damaged"
  /// The database failed for a reason of its own, which the message contains.
  case storeFailed = "store-failed"
  /// A delete rule forbids deleting an object.
  case deleteDenied = "delete-denied"
  /// An object has no identity, because a part of it is null or an empty string.
  case nullIdentity = "null-identity"
  /// Several stored objects have the same identity.
  case ambiguousIdentity = "ambiguous-identity"
  /// An identity belongs to an object of another sub-entity.
  case identityOfOtherEntity = "identity-of-other-entity"
  /// Entities are identified by each other.
  case identityCycle = "identity-cycle"
  /// A subtree is linked to an object that the other store does not have.
  case missingLinked = "missing-linked"
  /// A graph or object is used after its end.
  case graphEnded = "graph-ended"
  /// The file holds no model that can be read: it is another kind of file, or one that only Core Data reads.
  case unsupportedModelSource = "unsupported-model-source"
  /// The store does not exist.
  case noSuchStore = "no-such-store"
  /// The file to be written already exists.
  case storeExists = "store-exists"
  /// A result would overwrite a file that the run needs.
  case neededFile = "needed-file"
  /// A result cannot be written to its file.
  case unwritableFile = "unwritable-file"
  /// Two rows of the input of a sync have the same identity.
  case duplicateIdentity = "duplicate-identity"
  /// The input of a sync, or the source of a run that happens once, is empty.
  case emptyInput = "empty-input"
  /// A sync would delete more objects than the limit.
  case tooManyDeletions = "too-many-deletions"
  /// A file to import cannot be read to its end.
  case brokenFile = "broken-file"
  /// A row of a file to import is not valid.
  case badRow = "bad-row"
}
