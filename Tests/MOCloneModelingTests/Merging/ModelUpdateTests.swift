import Foundation
import MOCloneKit
import MOCloneModeling
import Testing

@Suite("A model file that is brought up to date with its source")
struct ModelUpdateTests {
  /// A file as people leave it: comments, annotations, other names, their own order and alignment.
  static let file = """
    # The notes of our app.
    version: 1
    name: Notes

    entities:

      # What people write.
      Memo:                       # was Note
        table: note
        attributes:
          id:    {type: UUID, userInfo: {rebuild: uuid}}   # each copy is new
          title: String
          size:  {type: Integer 32, default: 1}
          text:  String?
        relationships:
          lines: {destination: Item, toMany: true, inverse: memo, deleteRule: cascade}
        uniquenessConstraints: [[id], [title, size]]

      Item:
        attributes: {done: Boolean, name: String}
        relationships:
          # The owner.
          memo:
            destination: Memo
            inverse: lines
            column: note_id

    """

  /// The same as the source has it.
  static func source() -> ModelDraft {
    var draft = ModelDraft(name: "Source")
    draft.shape = SourceShape()
    draft.entities = [
      EntityDescription(
        name: "Item",
        attributes: [
          AttributeDescription(name: "name", type: .string),
          AttributeDescription(name: "done", type: .integer64),
        ],
        relationships: [RelationshipDescription(name: "note", destination: "Note", inverse: "items")]),
      EntityDescription(
        name: "Note",
        attributes: [
          AttributeDescription(name: "id", type: .uuid),
          AttributeDescription(name: "title", type: .string),
          AttributeDescription(name: "size", type: .integer64),
          AttributeDescription(name: "text", type: .string, isOptional: true),
        ],
        relationships: [
          RelationshipDescription(name: "items", destination: "Item", isToMany: true, inverse: "note")
        ], uniquenessConstraints: [["id"], ["title", "size"]]),
    ]
    return draft
  }

  private func update(
    _ text: String = file, _ change: (inout ModelDraft) -> Void
  ) throws -> (text: String, changes: [String]) {
    var draft = Self.source()
    change(&draft)
    let update = try ModelUpdate(of: SourceFile(path: "notes.yml", text: text), from: draft)
    let updated = String(decoding: update.data, as: UTF8.self)
    #expect(update.isUnchanged == (updated == text))
    let parsed = ModelParser.parse(SourceFile(path: "notes.yml", text: updated))
    #expect(parsed.model != nil, "\(updated)\n\(parsed.diagnostics)")
    let again = try ModelUpdate(of: SourceFile(path: "notes.yml", text: updated), from: draft)
    #expect(again.isUnchanged, "\(again.changes)")
    return (updated, update.changes.map(\.description))
  }

  /// The lines that one text has and the other has not.
  private func difference(_ new: String) -> (added: [String], removed: [String]) {
    let (a, b) = (Self.file.split(separator: "\n"), new.split(separator: "\n"))
    let difference = b.difference(from: a)
    func lines(_ changes: [CollectionDifference<Substring>.Change]) -> [String] {
      changes.map {
        if case .insert(_, let line, _) = $0 {
          String(line)
        } else if case .remove(_, let line, _) = $0 {
          String(line)
        } else {
          ""
        }
      }
    }
    return (lines(difference.insertions), lines(difference.removals))
  }

  @Test func anUnchangedSourceChangesNothing() throws {
    let (text, changes) = try update { _ in }
    #expect(text == Self.file)
    #expect(changes == [])
  }

  @Test func newAttributesComeInInBothStyles() throws {
    let (text, changes) = try update {
      $0.entities[0].attributes.append(AttributeDescription(name: "unit", type: .string, isOptional: true))
      $0.entities[1].attributes.append(AttributeDescription(name: "day", type: .date))
      $0.comments[.entity("Note") / "attributes" / "day"] = ["When it was written."]
    }
    #expect(changes == ["added 'Memo.day' (Date)", "added 'Item.unit' (String?)"])
    let (added, removed) = difference(text)
    #expect(
      added == [
        "      # When it was written.", "      day:   Date",
        "    attributes: {done: Boolean, name: String, unit: {type: String, optional: true}}",
      ])
    #expect(removed == ["    attributes: {done: Boolean, name: String}"])
  }

  @Test func aNewTableComesInWithItsRelationshipsInTheNamesOfTheFile() throws {
    let (text, changes) = try update {
      $0.entities[1].relationships.append(
        RelationshipDescription(name: "tags", destination: "Tag", isToMany: true, inverse: "note"))
      $0.entities.append(
        EntityDescription(
          name: "Tag", attributes: [AttributeDescription(name: "word", type: .string)],
          relationships: [
            RelationshipDescription(name: "note", destination: "Note", isOptional: true, inverse: "tags")
          ]))
    }
    #expect(changes == ["added 'Memo.tags' (many Tag)", "added 'Tag'"])
    #expect(
      text.hasSuffix(
        """

          Tag:
            attributes:
              word: String
            relationships:
              note: {destination: Memo, optional: true, inverse: tags}

        """))
    #expect(text.contains("      tags: {destination: Tag, toMany: true, inverse: note}\n"))
  }

  @Test func whatIsGoneBecomesACommentOnce() throws {
    let (text, changes) = try update {
      $0.entities[1].attributes.removeAll { $0.name == "size" }
      $0.entities[1].uniquenessConstraints = [["id"]]
      $0.entities[0].attributes.removeAll { $0.name == "done" }
    }
    #expect(
      changes == [
        "commented out 'Memo.size', because the column 'size' no longer exists",
        "removed the uniqueness constraint [title, size] of 'Memo'",
        "commented out 'Item.done', because the column 'done' no longer exists",
      ])
    let (added, removed) = difference(text)
    #expect(
      added == [
        "      # gone from the source: the column 'size'", "      # size:  {type: Integer 32, default: 1}",
        "    uniquenessConstraints: [[id]]", "    # gone from the source: the column 'done'",
        "    # done: Boolean",
        "    attributes: {name: String}",
      ])
    #expect(removed.count == 3)
  }

  @Test func allThatIsInFlowStyleCanBeReplaced() throws {
    let (text, changes) = try update {
      $0.entities[1].uniquenessConstraints = [["id"], ["title", "color"]]
      $0.entities[1].attributes.removeAll { $0.name == "size" }
      $0.entities[1].attributes.append(AttributeDescription(name: "color", type: .string))
      $0.entities[0].attributes = [AttributeDescription(name: "new", type: .string)]
    }
    #expect(changes.count == 7)
    #expect(text.contains("    uniquenessConstraints: [[id], [title, color]]\n"))
    #expect(text.contains("    attributes: {new: {type: String}}\n"))
    let (both, _) = try update(Self.file.replacing("[[id], [title, size]]", with: "[[title, size]]")) {
      $0.entities[1].uniquenessConstraints = [["color"], ["id"]]
      $0.entities[1].attributes.removeAll { $0.name == "size" }
      $0.entities[1].attributes.append(AttributeDescription(name: "color", type: .string))
    }
    #expect(both.contains("    uniquenessConstraints: [[color], [id]]\n"))
  }

  @Test func aGoneTableTakesItsRelationshipsAlong() throws {
    let (text, changes) = try update {
      $0.entities.removeFirst()
      $0.entities[0].relationships = []
    }
    #expect(
      changes == [
        "commented out 'Item', because the table 'item' no longer exists",
        "commented out 'Memo.lines', because the table 'item' no longer exists",
      ])
    #expect(
      text.contains(
        """
          # gone from the source: the table 'item'
          # Item:
          #   attributes: {done: Boolean, name: String}
          #   relationships:
          #     # The owner.
          #     memo:
        """))
  }

  @Test func aChangedTypeIsChangedInPlaceAndAPersonsChoiceOfTheSameStorageStays() throws {
    let (text, changes) = try update {
      $0.entities[0].attributes[1].isOptional = true
      $0.entities[1].attributes[1].isOptional = true
      $0.entities[1].attributes[2].type = .string
      $0.entities[1].attributes[3].type = .double
    }
    #expect(
      changes == [
        "changed 'Memo.title': String?, was String", "changed 'Memo.size': String, was Integer 32",
        "changed 'Memo.text': Double?, was String?", "changed 'Item.done': Boolean?, was Boolean",
      ])
    let (added, _) = difference(text)
    #expect(
      added == [
        "      title: String?", "      size:  {type: String, default: 1}", "      text:  Double?",
        "    attributes: {done: \"Boolean?\", name: String}",
      ])
  }

  @Test func aSourceThatDeclaresItsTypesChangesThemWhereverTheyDiffer() throws {
    let (text, changes) = try update {
      $0.shape = nil
      $0.entities[1].attributes[2].type = .integer16
      $0.entities[0].attributes[1].type = .boolean
    }
    #expect(changes == ["changed 'Memo.size': Integer 16, was Integer 32"])
    #expect(text.contains("size:  {type: Integer 16, default: 1}"))
  }

  @Test func aForeignKeyToAnotherTableTakesItsInverseAlong() throws {
    let (text, changes) = try update {
      $0.entities[0].relationships[0].destination = "Page"
      $0.entities[1].relationships = []
      $0.entities.append(
        EntityDescription(
          name: "Page", attributes: [AttributeDescription(name: "number", type: .integer64)],
          relationships: [
            RelationshipDescription(name: "items", destination: "Item", isToMany: true, inverse: "note")
          ]))
    }
    #expect(
      changes == [
        "commented out 'Memo.lines': 'Item.memo' references 'page' now",
        "changed 'Item.memo': Page, was Memo",
        "added 'Page'",
      ])
    #expect(text.contains("destination: Page\n        inverse: items\n        column: note_id"))
    #expect(text.contains("items: {destination: Item, toMany: true, inverse: memo}"))
  }

  @Test func aColumnThatBecameAForeignKeyBecomesARelationship() throws {
    let (text, changes) = try update {
      $0.entities[1].attributes.removeAll { $0.name == "size" }
      $0.entities[1].uniquenessConstraints = [["id"], ["title", "format"]]
      $0.entities[1].relationships.append(
        RelationshipDescription(
          name: "format", destination: "Format", inverse: "notes", columns: [ForeignKeyColumn("size")]))
      $0.entities.append(
        EntityDescription(
          name: "Format",
          relationships: [
            RelationshipDescription(name: "notes", destination: "Note", isToMany: true, inverse: "format")
          ]))
    }
    #expect(
      changes == [
        "commented out 'Memo.size': the attribute, which is the relationship 'format' now",
        "added 'Memo.format' (Format)",
        "removed the uniqueness constraint [title, size] of 'Memo'",
        "added the uniqueness constraint [title, format] of 'Memo'", "added 'Format'",
      ])
    #expect(text.contains("uniquenessConstraints: [[id], [title, format]]"))
  }

  @Test func aRelationshipThatAPersonMadeOfAColumnStays() throws {
    let text = Self.file.replacing(
      "      text:  String?\n    relationships:\n",
      with: "    relationships:\n      sequel: {destination: Memo, optional: true, column: text}\n")
    let (updated, changes) = try update(text) { _ in }
    #expect(changes == [])
    #expect(updated == text)
  }

  @Test func aForeignKeyOfWhichAPersonHasOnlyTheListStays() throws {
    let file = Self.file
      .replacing("toMany: true, inverse: memo,", with: "toMany: true, column: note_id,")
      .replacing(
        """
            relationships:
              # The owner.
              memo:
                destination: Memo
                inverse: lines
                column: note_id

        """, with: "")
    #expect(!file.contains("memo"))
    let result = try update(file) { _ in }
    #expect(result.changes.isEmpty, "\(result.changes)")
  }

  @Test func ofSubEntitiesThatGotOthersNamesTheValueCounts() throws {
    func source(_ types: KeyValuePairs<String, String>) -> ModelDraft {
      var draft = ModelDraft(name: "Source")
      draft.shape = SourceShape()
      draft.entities = [
        EntityDescription(name: "Note", attributes: [AttributeDescription(name: "title", type: .string)]),
        EntityDescription(
          name: "Comment", isAbstract: true, attributes: [AttributeDescription(name: "body", type: .string)],
          discriminator: DiscriminatorDescription(column: "type")),
      ]
      for (name, value) in types {
        let target = RelationshipDescription(
          name: "target", destination: "Note", columns: [ForeignKeyColumn("target_id")])
        draft.entities.append(
          EntityDescription(
            name: name, parent: "Comment", relationships: [target],
            discriminator: DiscriminatorDescription(value: value)))
      }
      return draft
    }
    let file = SourceFile(path: "notes.yml", text: source(["NoteComment": "App.Note"]).yaml)
    let update = try ModelUpdate(
      of: file, from: source(["NoteComment": "Note", "CommentOfNote": "App.Note"]))
    #expect(update.changes.map(\.description) == ["added 'NoteComment2'"])
    let text = String(decoding: update.data, as: UTF8.self)
    #expect(text.contains("value: App.Note") && text.contains("value: Note"), "\(text)")
  }

  @Test func whatThePersonsListIgnoresDoesNotComeIn() throws {
    let text = Self.file.replacing(
      "name: Notes\n", with: "name: Notes\nx-ignored: [log, note.day, ITEM.log_id]\n")
    let (updated, changes) = try update(text) {
      $0.entities[1].attributes.append(AttributeDescription(name: "day", type: .date))
      $0.entities[0].relationships.append(
        RelationshipDescription(name: "log", destination: "Log", isOptional: true, inverse: "items"))
      $0.entities.append(
        EntityDescription(
          name: "Log",
          relationships: [
            RelationshipDescription(name: "items", destination: "Item", isToMany: true, inverse: "log")
          ]))
    }
    #expect(changes == [])
    #expect(updated == text)
  }

  @Test func anotherKeyAndAJoinTableThatBecameAnEntityAreReported() throws {
    let text =
      "version: 1\nname: N\nentities:\n  A:\n    relationships:\n      bs: {destination: B, toMany: true, inverse: as}\n"
      + "  B:\n    relationships:\n      as: {destination: A, toMany: true, inverse: bs}\n"
    let (updated, changes) = try update(text) {
      $0.entities = [
        EntityDescription(
          name: "A", attributes: [AttributeDescription(name: "id", type: .integer64)],
          primaryKey: [KeyColumn("code", generate: .max)]),
        EntityDescription(name: "B"),
        EntityDescription(
          name: "Pair", attributes: [AttributeDescription(name: "weight", type: .double)],
          relationships: [
            RelationshipDescription(name: "a", destination: "A"),
            RelationshipDescription(name: "b", destination: "B"),
          ], table: "a_b"),
      ]
    }
    #expect(updated == text)
    #expect(
      changes == [
        "kept 'Pair': the model has a relationship with this join table",
        "kept 'A': the key is code in the source",
      ])
  }

  @Test func aKeyThatRowsCannotHaveAnyMoreIsThatOfTheSource() throws {
    let text = "version: 1\nname: N\nentities:\n  A: {}\n  B:\n    attributes:\n      word: String\n"
    let (updated, changes) = try update(text) {
      $0.entities = [
        EntityDescription(name: "A", primaryKey: [KeyColumn("code")]),
        EntityDescription(
          name: "B",
          attributes: [
            AttributeDescription(name: "id", type: .uuid), AttributeDescription(name: "word", type: .string),
          ], primaryKey: [KeyColumn("id", generate: .uuid)]),
      ]
    }
    #expect(
      changes == [
        "changed 'A': the key is code", "added 'B.id' (UUID)",
        "changed 'B': the key is [{column: id, generate: uuid}]",
      ])
    #expect(updated.contains("  A: {primaryKey: code}\n"))
    #expect(updated.contains("      id: UUID\n    primaryKey: [{column: id, generate: uuid}]\n"))
  }

  @Test func aNewPartWhoseNameIsTakenGetsAnother() throws {
    let (text, _) = try update {
      $0.entities[1].attributes.append(AttributeDescription(name: "lines", type: .integer64))
      $0.entities.append(EntityDescription(name: "Memo", attributes: []))
    }
    #expect(text.contains("      lines2: {type: Integer 64, column: lines}\n"))
    #expect(text.contains("  Memo2:\n    table: memo\n"))
  }

  @Test func anotherNamingOfTheSourceIsWrittenOut() throws {
    let (text, _) = try update {
      $0.store = StoreOptions(naming: .asWritten, primaryKey: "id")
      for i in $0.entities.indices { $0.entities[i].table = $0.entities[i].name.lowercased() }
      $0.entities[0].relationships[0].columns = [ForeignKeyColumn("note_id")]
      $0.entities[1].attributes.append(AttributeDescription(name: "lastDay", type: .date))
      $0.entities.append(EntityDescription(name: "LogLine", attributes: []))
    }
    #expect(text.contains("      lastDay: {type: Date, column: lastDay}\n"))
    #expect(text.contains("  LogLine:\n    table: LogLine\n"))
  }

  @Test func aSortedFileStaysSorted() throws {
    let text = "version: 1\nname: N\nentities:\n  A:\n  # of C\n  C:\n  E:\n"
    var draft = ModelDraft(
      name: "N", entities: ["A", "B", "C", "D", "E", "F"].map { EntityDescription(name: $0) })
    draft.entities.append(EntityDescription(name: "0"))
    let update = try ModelUpdate(of: SourceFile(path: "n.yml", text: text), from: draft)
    #expect(
      String(decoding: update.data, as: UTF8.self)
        == "version: 1\nname: N\nentities:\n  \"0\": {}\n  A:\n  B: {}\n  # of C\n  C:\n  D: {}\n  E:\n  F: {}\n"
    )
  }

  @Test func anEntityWithoutPropertiesAndOneInFlowStyleGetThem() throws {
    let text = "version: 1\r\nname: N\r\nentities:\r\n  A:\r\n  B: {attributes: {}}\r\n  C: {}   # none"
    let draft = ModelDraft(
      name: "N",
      entities: ["A", "B", "C"].map {
        EntityDescription(name: $0, attributes: [AttributeDescription(name: "a", type: .string)])
      })
    let update = try ModelUpdate(of: SourceFile(path: "n.yml", text: text), from: draft)
    #expect(
      String(decoding: update.data, as: UTF8.self)
        == "version: 1\r\nname: N\r\nentities:\r\n  A:\r\n    attributes:\r\n      a: String\r\n"
        + "  B: {attributes: {a: {type: String}}}\r\n  C: {attributes: {a: {type: String}}}   # none")
  }

  @Test func whatComesBackIsAsPeopleWroteIt() throws {
    let text = Self.file
      .replacing("      title: String\n", with: "      title: String  # never empty\n")
      .replacing(
        "{done: Boolean, name: String}\n    rel",
        with: "{name: String, done: {type: Boolean, userInfo: {for: print}}}\n\n# of both\n    rel")
    let (gone, _) = try update(text) {
      $0.entities[1].attributes.removeAll { $0.name == "text" || $0.name == "title" }
      $0.entities[1].uniquenessConstraints = [["id"]]
      $0.entities[0].attributes.removeAll { $0.name == "done" }
    }
    let (back, changes) = try update(gone) { $0.entities[1].uniquenessConstraints = [["id"]] }
    #expect(back == text.replacing("[[id], [title, size]]", with: "[[id]]"))
    #expect(
      Set(changes)
        == Set(["Memo.title", "Memo.text", "Item.done"].map { "added '\($0)' (as it was commented out)" }))
    let (without, _) = try update(text) {
      $0.entities.removeFirst()
      $0.entities[0].relationships = []
    }
    let (again, _) = try update(without) { _ in }
    #expect(again == text)
  }

  @Test func aColumnThatComesBackAsAnotherIsReportedWithTheLineOfItsComment() throws {
    let (gone, _) = try update { $0.entities[1].attributes.removeAll { $0.name == "text" } }
    let edited = gone.replacing("# text:  String?", with: "# text:  {type: String, userInfo: {nothing}, x")
    let (back, changes) = try update(edited) { _ in }
    #expect(back.contains("\n      # text:  {type: String, userInfo: {nothing}, x\n"))
    let line = try #require(
      back.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains("# gone from") })
    #expect(
      changes == [
        "added 'Memo.text' (String?)",
        "kept 'Memo.text': the annotations that are commented out in line \(line + 1) do NOT apply to it; "
          + "write them here again and delete the comment",
      ])
    #expect(try update(back) { _ in }.changes == [changes[1]])
    let unannotated = gone.replacing("# text:  String?", with: "# text:  {type: String, x")
    let (other, kept) = try update(unannotated) { _ in }
    #expect(kept.last?.hasSuffix("is not taken over; compare the two") == true)
    #expect(try update(other) { _ in }.changes == [])
  }

  @Test func whatCannotComeBackKeepsNothingElseFromComingBack() throws {
    let text = Self.file.replacing(
      "deleteRule: cascade}", with: "deleteRule: cascade, userInfo: {exclude: \"\"}}")
    let (gone, _) = try update(text) {
      $0.entities[1].attributes.removeAll { $0.name == "text" }
      $0.entities[0].relationships = []
      $0.entities[1].relationships = []
    }
    let (back, changes) = try update(gone.replacing("# text:  String?", with: "# text:  {oops")) { _ in }
    #expect(
      back.contains("\n      lines: {destination: Item, toMany: true, inverse: memo, deleteRule: cascade, "))
    #expect(back.contains("\n      memo:\n        destination: Memo\n"))
    #expect(back.contains("\n      # text:  {oops\n"))
    #expect(changes.contains("added 'Memo.lines' (as it was commented out)"))
    #expect(changes.contains("added 'Item.memo' (as it was commented out)"))
    #expect(changes.contains("added 'Memo.text' (String?)"))
  }

  @Test func aTableComesBackWithItsAnnotationsWhileAColumnThatRefersToItIsGoneOrWasAnAttribute() throws {
    let text = """
      version: 1
      name: Lists
      entities:
        List:
          attributes:
            secret: {type: String, optional: true, userInfo: {exclude: ""}}  # never copy
          relationships:
            cards: {destination: Card, toMany: true, inverse: list}
        Card:
          attributes:
            title: String?
          relationships:
            list: {destination: List, optional: true, inverse: cards}

      """
    let secret = AttributeDescription(name: "secret", type: .string, isOptional: true)
    let title = AttributeDescription(name: "title", type: .string, isOptional: true)
    let listID = AttributeDescription(name: "listId", type: .integer64, isOptional: true)
    let list = RelationshipDescription(
      name: "list", destination: "List", isOptional: true, inverse: "cards")
    let cards = RelationshipDescription(name: "cards", destination: "Card", isToMany: true, inverse: "list")
    let (gone, _) = try update(text) {
      $0.entities = [EntityDescription(name: "Card", attributes: [title, listID])]
    }
    #expect(gone.contains("#     secret: {"), "\(gone)")
    #expect(gone.contains("\n      listId: "), "\(gone)")

    let (without, changes) = try update(gone) {
      $0.entities = [
        EntityDescription(name: "Card", attributes: [title]),
        EntityDescription(name: "List", attributes: [secret]),
      ]
    }
    #expect(without.contains("\n      secret: {type: String, optional: true, userInfo: {exclude: \"\"}}  #"))
    #expect(without.contains("\n      # list: {destination: List, optional: true, inverse: cards}\n"))
    #expect(changes.contains("added 'List' (as it was commented out)"), "\(changes)")
    #expect(!changes.contains { $0.hasPrefix("kept") }, "\(changes)")

    let (all, _) = try update(gone) {
      $0.entities = [
        EntityDescription(name: "Card", attributes: [title], relationships: [list]),
        EntityDescription(name: "List", attributes: [secret], relationships: [cards]),
      ]
    }
    #expect(all.contains("\n      secret: {type: String, optional: true, userInfo: {exclude: \"\"}}  #"))
    #expect(all.contains("\n      list: {destination: List, optional: true, inverse: cards}\n"), "\(all)")
    #expect(all.contains("\n      # listId: "), "\(all)")
  }

  @Test func ofTwoCommentsOfOnePartOnlyTheLastComesBack() throws {
    let (gone, _) = try update { $0.entities[1].attributes.removeAll { $0.name == "text" } }
    let mark = "      # gone from the source: the column 'text'\n"
    let two = gone.replacing(
      mark, with: mark + "      # text: {type: String, userInfo: {exclude: \"\"}}\n" + mark)
    let (back, changes) = try update(two) { _ in }
    #expect(back.contains("\n      text:  String?\n"))
    #expect(back.contains("\n      # text: {type: String, userInfo"))
    #expect(changes.count == 2)
    #expect(changes.first == "added 'Memo.text' (as it was commented out)")
    #expect(changes.last?.contains("do NOT apply") == true)
  }

  @Test func aMarkAboveAnotherAndAPersonsCommentBelowStayOutside() throws {
    let (gone, _) = try update { $0.entities[1].attributes.removeAll { $0.name == "text" } }
    let mark = "      # gone from the source: the column 'text'\n"
    let line = "      # text:  String?\n"
    let (back, changes) = try update(
      gone.replacing(mark, with: mark + mark).replacing(line, with: line + "      #  -- free text --\n")
    ) { _ in }
    #expect(back.contains(mark + "      text:  String?\n      #  -- free text --\n"), "\(back)")
    #expect(changes == ["added 'Memo.text' (as it was commented out)"])
  }

  @Test func commentsBetweenEntriesInFlowStyleStayWhereTheyAre() throws {
    let lines = """
          attributes: {name: String,   # what we call it
                       # of the day
                       day: {type: Date, optional: true}, # never copy this
                       done: Boolean # yes or no
                       }
      """
    let text = Self.file.replacing("    attributes: {done: Boolean, name: String}", with: lines)
    let indent = String(repeating: " ", count: 17)
    let (gone, changes) = try update(text) { _ in }
    #expect(changes == ["commented out 'Item.day', because the column 'day' no longer exists"])
    #expect(
      gone
        == text.replacing(
          "\(indent)day:", with: "\(indent)# gone from the source: the column 'day'\n\(indent)# day:"))
    let (back, _) = try update(gone) {
      $0.entities[0].attributes.append(AttributeDescription(name: "day", type: .date, isOptional: true))
    }
    #expect(back == text)
    let (added, _) = try update(text) {
      $0.entities[0].attributes = [
        AttributeDescription(name: "name", type: .string),
        AttributeDescription(name: "day", type: .date, isOptional: true),
        AttributeDescription(name: "new", type: .string),
      ]
    }
    #expect(added.contains("day: {type: Date, optional: true}, # never copy this\n"))
    #expect(added.contains("\n\(indent)new: {type: String},\n"))
    #expect(added.contains("# done: Boolean # yes or no\n\(indent)}\n"))
  }

  @Test func entriesInFlowStyleThatShareALineAreTakenApart() throws {
    let text = Self.file.replacing(
      "{done: Boolean, name: String}", with: "{done: Boolean, name: String, # both\n      size: Float}")
    let (gone, _) = try update(text) {
      $0.entities[0].attributes = [AttributeDescription(name: "new", type: .string)]
    }
    #expect(gone.contains("attributes: {new: {type: String},\n"))
    for line in ["# done: Boolean,", "# name: String, # both", "# size: Float"] {
      #expect(gone.contains(line + "\n"), "\(gone)")
    }
    let (back, _) = try update(gone) {
      $0.entities[0].attributes += [
        AttributeDescription(name: "size", type: .double), AttributeDescription(name: "new", type: .string),
      ]
    }
    let lines = """
          attributes: {new: {type: String},
                       done: Boolean,
                       name: String, # both
            size: Float
            }

      """
    let place = try #require(text.firstRange(of: "    attributes: {done: Boolean"))
    let end = try #require(text.firstRange(of: "size: Float}\n"))
    let expected = String(text[..<place.lowerBound]) + lines + String(text[end.upperBound...])
    #expect(back == expected)
  }

  @Test func aCommaOnTheNextLineComesBackWithWhatWasBeforeIt() throws {
    let entry = "done: {type: Boolean, userInfo: {for: print}}"
    let text = Self.file.replacing(
      "{done: Boolean, name: String}",
      with: "{\n      name: String\n      , \(entry)\n      , day: Date\n      }")
    let day = AttributeDescription(name: "day", type: .date)
    let (gone, _) = try update(text) {
      $0.entities[0].attributes = [AttributeDescription(name: "name", type: .string), day]
    }
    #expect(gone.contains("\n        # \(entry),\n       day: Date\n"), "\(gone)")
    let (back, _) = try update(gone) { $0.entities[0].attributes.append(day) }
    #expect(back.contains("\n        \(entry),\n       day: Date\n"), "\(back)")
    #expect(!back.contains("gone from the source"), "\(back)")
  }

  @Test func aCommaBehindTheLastEntryGoesWithAllOfThem() throws {
    for (list, rest) in [("{done: Boolean, }", "{ }"), ("{done: Boolean, name: String,}", "{}")] {
      let text = Self.file.replacing("{done: Boolean, name: String}", with: list)
      let (gone, _) = try update(text) { $0.entities[0].attributes = [] }
      #expect(gone.contains("    attributes: \(rest)\n"), "\(gone)")
    }
  }

  @Test func whatComesBackTakesTheCommentAwayThatItBecame() throws {
    for takesEntity in [false, true] {
      let (gone, _) = try update {
        if takesEntity {
          $0.entities.removeFirst()
          $0.entities[0].relationships = []
        } else {
          $0.entities[1].attributes.removeAll { $0.name == "text" }
          $0.entities[0].attributes.removeAll { $0.name == "done" }
        }
      }
      #expect(gone.contains("# gone from the source"))
      let (back, changes) = try update(gone) { _ in }
      #expect(!back.contains("gone from the source"), "\(back)")
      #expect(!back.contains("# done") && !back.contains("# Item") && !back.contains("# text"), "\(back)")
      #expect(!back.contains("# lines"), "\(back)")
      #expect(back.contains("# The notes of our app.") && back.contains("# What people write."))
      #expect(changes.contains { $0.hasPrefix("added") })
      #expect(try update(back) { _ in }.changes == [])
    }
  }

  @Test func jsonIsWrittenAnewWhereSomethingChanges() throws {
    let model = try ObjectModel(yaml: Self.file)
    let json = String(decoding: try JSONEncoder().encode(model), as: UTF8.self)
    let file = SourceFile(path: "n.json", text: json)
    #expect(try ModelUpdate(of: file, from: Self.source()).data == Data(json.utf8))
    var source = Self.source()
    source.entities[1].attributes.append(AttributeDescription(name: "color", type: .string, isOptional: true))
    source.entities[0].attributes.removeAll { $0.name == "done" }
    let update = try ModelUpdate(of: file, from: source)
    #expect(
      Set(update.changes.map(\.description))
        == [
          "added 'Memo.color' (String?)",
          "commented out 'Item.done', because the column 'done' no longer exists",
        ])
    let updated = try ObjectModel(json: update.data)
    #expect(updated.attribute("color", of: "Memo")?.isOptional == true)
    #expect(updated.attribute("done", of: "Item") == nil)
    #expect(updated.attribute("id", of: "Memo")?.userInfo == ["rebuild": "uuid"])
    let again = SourceFile(path: "n.json", text: String(decoding: update.data, as: UTF8.self))
    #expect(try ModelUpdate(of: again, from: source).isUnchanged)
  }

  @Test func flowStyleAndFilesWithErrorsAreRefused() throws {
    for text in [
      "{version: 1, name: N, entities: {Note: {}}}",
      "version: 1\nname: N\nentities:\n  Note:\n    atributes: {}\n",
    ] {
      #expect(throws: ModelError.self) {
        try ModelUpdate(of: SourceFile(path: "n.yml", text: text), from: Self.source())
      }
    }
  }
}
