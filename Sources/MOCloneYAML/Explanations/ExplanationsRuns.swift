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
        "Keys are looked up in the entity asked for and its sub-entities. The parts of a composite key are in "
        + "the order of `primaryKey`, with commas between them."),
    .unknownName: Explanation(
      "A request or a file uses a name that nothing has.",
      why:
        "Exclusions name a property of an entity that is cloned, and may be written `Entity.name`; `set` and `unset` name "
        + "a property of the root. `--by` and the rules of `dedupe` name attributes of the entities that they are about, or "
        + "to-one relationships. A mapping names columns of the file that is imported, as in `@date`, and each column of the file "
        + "is mapped, an attribute of that name, or ignored with `--ignore`. `--distributed-by` names a column of the tables "
        + "that a clone reads, `--with-table` a table of the store. The nearest name is suggested."),
    .invalidValue: Explanation(
      "A given value is not valid.",
      why:
        "It must be of the attribute's type, and null only where the property is optional. A relationship that is "
        + "stored in another object's row, or in several, cannot be set."),
    .invalidKey: Explanation(
      "A given key is not valid.",
      why:
        "It needs one value for each column of the entity's primary key, of the column's type. Write a comma "
        + "inside a part as `\\,`, an equals sign as `\\=`, a line break as `\\u{A}`."),
    .requiredLeftEmpty: Explanation(
      "A required property of a clone would be empty.",
      why:
        "An exclusion leaves it without a value and without a default, or leaves out its destination. Drop the "
        + "exclusion, make the property optional, or give it a value with `--set`. In code, an insertion or a change that "
        + "leaves a required to-one empty is refused so by a database whose column must not be null."),
    .uniqueValue: Explanation(
      "A clone would repeat a unique value.",
      why:
        "No rule produces a new value, so the copy has the same value as its original. Add \(renewing), exclude the "
        + "attribute, or give a new value with `--set`."),
    .missingAncestor: Explanation(
      "A followed attribute has no ancestor to follow.",
      why:
        "No ancestor of the object in this clone has the attribute. Add `withoutParent: keep` or `withoutParent: "
        + "blank`, clone from further up, or give the value with `--set`."),
    .keyNeedsValue: Explanation(
      "The key of a clone must be given.",
      why: "The key is neither a rowid nor generated. Give it with `--set`, or write `generate: uuid` at "
        + "`primaryKey`."),
    .graphEnded: Explanation(
      "A graph or object is used after its end.",
      why:
        "A graph on a caller's transaction lives inside the closure that got it. Take keys out of the closure, "
        + "not objects. Any other graph lives until its `close()`."),
    .brokenFile: Explanation(
      "A file to import cannot be read to its end.",
      why:
        "Its syntax is broken, so it is unknown where the next row begins: a quote that is never closed, XML "
        + "that ends too early, another encoding than UTF-8. A DOCTYPE is refused, because it could include other "
        + "files. Nothing was imported."),
    .badRow: Explanation(
      "A row of a file to import is not valid.",
      why:
        "The message names the location, the attribute and what was expected. Nothing was imported; with `--bad-rows "
        + "skip` the other rows are imported, and these are written to a file of the same format, each with its reasons. "
        + "Correct them there and import that file."),
    .deleteDenied: Explanation(
      "A delete rule forbids deleting an object.",
      why: "A relationship with `deleteRule: deny` still has destinations. Delete or detach those first."),
  ]

  /// Objects that cannot be found again in another store.
  static let identities: [DiagnosticCode: Explanation] = [
    .nullIdentity: Explanation(
      "An object has no identity.",
      why:
        "A part of its identity is null or an empty string, and null is never equal to null. Give it a value, or name "
        + "other attributes that identify the entity (`--by`, `identifiedBy:`)."),
    .ambiguousIdentity: Explanation(
      "Several stored objects have the same identity.",
      why:
        "The match is ambiguous, so nothing is done. Merge them with `moclone dedupe`, or name attributes "
        + "that tell them apart (`--by`, `identifiedBy:`)."),
    .identityOfOtherEntity: Explanation(
      "An identity belongs to an object of another sub-entity.",
      why:
        "A uniqueness constraint holds for every entity that inherits it, so no second object can have the same "
        + "values. Rename one of the two, or put the constraint on the sub-entities."),
    .missingLinked: Explanation(
      "A subtree is linked to an object that the other store does not have.",
      why:
        "It is looked up by its uniqueness constraint, or by the attributes of `--by`; without either it is never found. "
        + "Name what identifies it, copy it first, leave the reference empty (`--missing null`), or create it (`--missing create`)."
    ),
    .identityCycle: Explanation(
      "Entities are identified by each other.",
      why:
        "To look up an object, the object that identifies it must be found first. Name attributes that identify one "
        + "of the entities (`--by`, `identifiedBy:`), also over relationships: `parent.name`. A store without objects "
        + "of them needs no names: there is nothing to look up."),
    .duplicateIdentity: Explanation(
      "Two rows of the input of a sync have the same identity.",
      why:
        "It is ambiguous which of them the stored object should follow. Remove one, or name attributes that tell them "
        + "apart (`--by`, `identifiedBy:`)."),
    .emptyInput: Explanation(
      "The input of a sync is empty, so every stored object would be deleted, or the source of a run that happens once has nothing for it.",
      why:
        "An empty input is often a failed download. In a sync `--yes` confirms that it is correct, "
        + "`--no-delete` only adds and changes."),
    .tooManyDeletions: Explanation(
      "A sync would delete more objects than the limit.",
      why:
        "By default the limit is half of the compared objects. Check the input; `--max-delete N` sets another limit, "
        + "also with `--yes`, which alone sets none, and `--no-delete` deletes nothing."),
  ]

  /// What a database can refuse.
  static let stores: [DiagnosticCode: Explanation] = [
    .noRoomForKeys: Explanation(
      "A table has no room for new keys.",
      why:
        "New keys follow the greatest key ever used, and that is already the greatest possible integer. Renumber the table."
    ),
    .unknownDiscriminator: Explanation(
      "The discriminator of a row belongs to no entity.",
      why:
        "The discriminator column has a value that the model does not name. Add the entity, or set its "
        + "`discriminator: {value: ...}`."),
    .rowCount: Explanation(
      "The rows that were written are not the planned ones.",
      why:
        "Rows were ignored, removed or added, or refer to something else, usually because of a trigger. Nothing was "
        + "kept. Check the triggers of the table."),
    .constraintFailed: Explanation(
      "The database refused a clone by one of its constraints.",
      why: "The message names the entity and, if the database reports it, the attribute. Fix the value by an "
        + "annotation or `--set`, or the constraint. Nothing was kept."),
    .storeBusy: Explanation(
      "Another process is writing to the store.",
      why: "Nothing was changed. Try again when it has finished, or wait longer with `--timeout`."),
    .storeFull: Explanation(
      "The disk is full.",
      why: "Nothing was changed. Free some space and try again; temporary files need space too."),
    .missingRight: Explanation(
      "The database's role lacks a right to a table or a schema.",
      why:
        "A clone reads with SELECT and writes with INSERT, and it needs USAGE of the sequences that count new keys. UPDATE and "
        + "DELETE are needed for changes and deletions. Grant the right, or connect as another role."),
    .rowSecurity: Explanation(
      "The database hides rows of a table from its role.",
      why:
        "Row-level security of PostgreSQL leaves rows out without an error, so a clone could lack a part of what belongs to it. "
        + "Such a clone is refused. Connect as a role with BYPASSRLS, or as the owner of the table where it has no FORCE ROW "
        + "LEVEL SECURITY."),
    .storeReadOnly: Explanation(
      "The store cannot be written.",
      why:
        "The file, its folder or the connection is read only, or the role of a server lacks a right. A clone writes beside a "
        + "file as well; `moclone validate --store` names the rights that a role lacks."),
    .coreDataStore: Explanation(
      "The store was created by Core Data, and is not changed unless you ask for it.",
      why:
        "Core Data counts keys in Z_MAX, versions of objects in Z_OPT, and numbers entities in Z_ENT. `show`, `plan`, `validate` and "
        + "copies out of the store work. With a model that has `naming: coreData`, `--write-core-data` writes into it and keeps "
        + "these right; Apple supports no other writer, so close the app first, and keep a copy. A store with a persistent "
        + "history or with CloudKit's tables is never written, and one cannot be created without the app."),
    .unsupportedModelSource: Explanation(
      "The source holds no model that can be read.",
      why:
        "A model is read from a SQLite database, from the tables of a PostgreSQL database along its search path or in the schemas "
        + "that '--schema' names, from an Xcode model (.xcdatamodeld, .xcdatamodel or its contents file) and from a Core Data "
        + "store. A compiled model (.mom, .momd) cannot be read; use the model that it was compiled from."
    ),
    .storeDamaged: Explanation(
      "The file is not a valid SQLite database.",
      why:
        "It is damaged, encrypted or another kind of file. Restore it from a backup; `PRAGMA integrity_check` reports details."
    ),
    .storeFailed: Explanation(
      "The database failed.",
      why:
        "The message is the database's own. Nothing was changed, unless it says that nobody knows whether a transaction "
        + "was committed: then look for what it wrote before you run this again."),
    .noSuchStore: Explanation(
      "The store, or a schema of it, does not exist.",
      why:
        "A missing store is never created by reading or cloning, and an empty file is none. Check `--store`, "
        + "`MOCLONE_STORE` or `moclone.yml`; `moclone store init` creates a new one."),
    .storeExists: Explanation(
      "The file to be written already exists.",
      why:
        "Nothing is overwritten unless you ask for it. Remove the file, name another one, or pass `--replace`."
    ),
    .unwritableFile: Explanation(
      "A result cannot be written to its file.",
      why:
        "The message contains the system's reason. If it says that the run is done and committed, only the file is "
        + "missing: do not run it again."),
    .neededFile: Explanation(
      "A result would overwrite a file that the run needs.",
      why:
        "The file is the store, belongs to it (-wal, -shm, -journal), or is the model, the settings or the input, "
        + "perhaps under another name. Nothing was written; name another file."),
  ]

  /// The annotations that make unique values anew.
  private static let renewing = RebuildRule.uniqueAnnotations.map { "`\($0)`" }.alternatives
}
