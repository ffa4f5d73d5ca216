import MOCloneModel

extension Explanation {
  /// Requests that cannot be met.
  static let runs: [DiagnosticCode: Explanation] = [
    .unknownEntity: Explanation(
      "The model has no entity of that name.",
      why: "On the command line entities are found whatever their case. `moclone model show` lists them."),
    .noSuchObject: Explanation(
      "The store has no object with that key.",
      why:
        "Keys are looked up in the entity asked for and its sub-entities. The parts of a composite key stand in "
        + "the order of `primaryKey`, with commas between them."),
    .unknownName: Explanation(
      "A name is no attribute or relationship here.",
      why:
        "Exclusions name a property of what is cloned, and may be written `Entity.name`; `set` and `unset` name "
        + "a property of the root. The nearest name is proposed."),
    .invalidValue: Explanation(
      "A value given by hand does not fit.",
      why:
        "It must be of the attribute's type, and null only where the property is optional. A relationship that "
        + "lies in another object's row, or in several, cannot be set."),
    .invalidKey: Explanation(
      "A key given by hand does not fit.",
      why:
        "It needs one value for each column of the entity's primary key, of the column's type. Write a comma "
        + "inside a part as `\\,`."),
    .requiredLeftEmpty: Explanation(
      "A required property of a clone would be empty.",
      why:
        "An exclusion leaves it without a value and without a default, or leaves out its destination. Drop the "
        + "exclusion, make the property optional, or give it a value with `--set`."),
    .uniqueValue: Explanation(
      "A clone would repeat a unique value.",
      why:
        "Nothing makes a new value, so the copy collides with its original. Add `rebuild: uuid`, exclude the "
        + "attribute, or give a new value with `--set`."),
    .missingAncestor: Explanation(
      "A followed attribute has no ancestor to follow.",
      why:
        "Nothing above the object in this clone has the attribute. Add `withoutParent: keep` or `withoutParent: "
        + "blank`, clone from further up, or give the value with `--set`."),
    .keyNeedsValue: Explanation(
      "A clone's key must be given by hand.",
      why: "The key is neither a rowid nor generated. Give it with `--set`, or say `generate: uuid` at "
        + "`primaryKey`."),
    .graphEnded: Explanation(
      "A graph or object is used after its end.",
      why:
        "A graph on a caller's transaction lives inside the closure that got it. Take keys out of the closure, "
        + "not objects."),
    .brokenFile: Explanation(
      "A file to import cannot be read to its end.",
      why:
        "Its form is broken, so that nobody can tell where the next row begins: a quote that is never closed, XML "
        + "that ends too early, another encoding than UTF-8. A DOCTYPE is refused, since it could bring other "
        + "files. Nothing was imported."),
    .badRow: Explanation(
      "A row of a file to import does not fit.",
      why:
        "The message names its place, the attribute and what was expected. Nothing was imported; with `--bad-rows "
        + "skip` the other rows are, and these are written to a file of the same format, each with its reasons. "
        + "Correct them there and import that file."),
    .deleteDenied: Explanation(
      "A delete rule forbids deleting an object.",
      why: "A relationship with `deleteRule: deny` still has destinations. Delete or detach those first."),
  ]

  /// Objects that cannot be found again in another store.
  static let identities: [DiagnosticCode: Explanation] = [
    .nullIdentity: Explanation(
      "An object has nothing that it could be found by.",
      why:
        "A part of its identity is null or an empty text, and null is never equal to null. Give it a value, or name "
        + "other attributes to identify the entity (`--by`, `identifiedBy:`)."),
    .ambiguousIdentity: Explanation(
      "Several stored objects have the same identity.",
      why:
        "Which one is meant cannot be told, so nothing is done. Merge them with `moclone dedupe`, or name attributes "
        + "that tell them apart (`--by`, `identifiedBy:`)."),
    .identityOfOtherEntity: Explanation(
      "An identity belongs to an object of another sub-entity.",
      why:
        "A uniqueness constraint holds for every entity that inherits it, so no second object can have the same "
        + "values. Rename one of the two, or put the constraint on the sub-entities."),
    .missingLinked: Explanation(
      "A subtree is linked to an object that the other store does not have.",
      why:
        "It was looked for by its uniqueness constraint, or by what `--by` names. Copy it first, leave the reference "
        + "empty (`--missing null`), or have it made (`--missing create`)."),
    .identityCycle: Explanation(
      "Entities are identified by each other.",
      why:
        "To find an object, the one that it is identified by must be found first. Name attributes that identify one "
        + "of the entities (`--by`, `identifiedBy:`), also over relationships: `parent.name`."),
    .duplicateIdentity: Explanation(
      "Two rows of the input of a sync have the same identity.",
      why:
        "Which of them the stored object should follow cannot be told. Remove one, or name attributes that tell them "
        + "apart (`--by`, `identifiedBy:`)."),
    .emptyInput: Explanation(
      "The input of a sync holds nothing, and every stored object would be deleted.",
      why:
        "An empty input is more often a failed download than the truth. `--yes` says that it is the truth, "
        + "`--no-delete` only adds and changes."),
    .tooManyDeletions: Explanation(
      "A sync would delete more objects than seems meant.",
      why:
        "By default the limit is half of the objects compared. Look at the input; `--max-delete N` sets another limit, "
        + "`--yes` none, and `--no-delete` deletes nothing."),
  ]

  /// What a database can refuse.
  static let stores: [DiagnosticCode: Explanation] = [
    .noRoomForKeys: Explanation(
      "There is no room above the greatest key of a table.",
      why:
        "New numbers follow the greatest one ever used, and it is the greatest there is. Renumber the table."),
    .unknownDiscriminator: Explanation(
      "A row is marked with a value that belongs to no entity.",
      why:
        "The discriminator column holds something that the model does not name. Add the entity, or set its "
        + "`discriminator: {value: ...}`."),
    .rowCount: Explanation(
      "Another number of rows was written than planned.",
      why:
        "Something swallowed or added rows, usually a trigger. Nothing was kept. Look at the triggers of the "
        + "table."),
    .constraintFailed: Explanation(
      "The database refused a clone by one of its constraints.",
      why: "The message names the entity and, where the database tells, the attribute. Mend the value by an "
        + "annotation or `--set`, or the constraint. Nothing was kept."),
    .storeBusy: Explanation(
      "Another process is writing to the store.",
      why: "Nothing was changed. Try again when it is done."),
    .storeFull: Explanation(
      "There is no room on the disk.",
      why: "Nothing was changed. Make room and try again; temporary files need some too."),
    .storeReadOnly: Explanation(
      "The store cannot be written.",
      why: "The file, its folder or the connection is read only. A clone writes beside the file as well."),
    .coreDataStore: Explanation(
      "The store was made by Core Data, which alone can change it.",
      why:
        "Core Data counts keys in Z_MAX, versions of objects in Z_OPT, and numbers entities in Z_ENT. A row that is "
        + "written beside it leaves these wrong. `show`, `plan`, `validate` and copying out of it work."),
    .storeDamaged: Explanation(
      "The file is no sound SQLite database.",
      why:
        "It is damaged, encrypted or something else. Restore it from a copy; `PRAGMA integrity_check` tells more."
    ),
    .storeFailed: Explanation(
      "The database failed.",
      why: "The message is its own. Nothing was changed."),
    .noSuchStore: Explanation(
      "There is no file at the store's path.",
      why: "A missing store is never created by reading or cloning. Check `--store`, `MOCLONE_STORE` or "
        + "`moclone.yml`; `moclone store init` makes a new one."),
    .storeExists: Explanation(
      "A file is in the way of a packed store.",
      why: "Nothing is overwritten unless it is said. Remove the file, name another, or say `--replace`."),
    .unwritableFile: Explanation(
      "A result cannot be written to its file.",
      why:
        "The message says what the system answers. Where it says that the run is done and committed, only the file is "
        + "missing: do not run it again."),
    .neededFile: Explanation(
      "A result would be written over a file that the run needs.",
      why:
        "The file is the store, lies beside it (-wal, -shm, -journal), or is the model, the settings or the input, "
        + "perhaps under another name. Nothing was written; name another file."),
  ]
}
