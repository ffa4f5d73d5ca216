import GRDB
import MOCloneSQLite

extension AppDatabase {
  /// Copies a project with its milestones, labels, cards, checklists and comments; people are shared.
  ///
  /// - Parameter generator: where new UUIDs and dates come from; a test gives fixed ones.
  @discardableResult
  public func copyProject(_ id: Int64, named name: String, generator: ValueGenerator = .system) throws
    -> Project
  {
    try writer.write { db in
      let project = try Project.find(db, key: id)
      let cloner = Cloner(model: .tracker, generator: generator)
      return try cloner.clone(
        project, in: db, request: CloneRequest(set: [TrackerModel.Project.name: AttributeValue(name)]))
    }
  }

  /// Makes a project to try the app with.
  @discardableResult
  public func makeExample() throws -> Project {
    try writer.write { db in
      var ada = Person(name: "Ada")
      try ada.insert(db)
      var project = Project(name: "Garden", ownerId: ada.id!)
      try project.insert(db)
      var urgent = Label(name: "urgent", color: "red", projectId: project.id!)
      try urgent.insert(db)
      for title in ["Buy seeds", "Water the beds"] {
        var card = Card(
          title: title, projectUUID: project.uuid, projectId: project.id!, assigneeId: ada.id!)
        try card.insert(db)
        var item = ChecklistItem(text: "tomatoes", isDone: true, cardId: card.id!)
        try item.insert(db)
        try CardLabel(cardId: card.id!, labelId: urgent.id!).insert(db)
      }
      return try Project.find(db, key: project.id!)
    }
  }

  public func projects() throws -> [Project] {
    try writer.read { try Project.order(Column("id")).fetchAll($0) }
  }

  /// The cards whose title or text holds a word.
  public func cards(with word: String) throws -> [Card] {
    try writer.read { db in
      try Card.fetchAll(
        db,
        sql:
          "SELECT card.* FROM card JOIN cardText ON cardText.rowid = card.id WHERE cardText MATCH ? ORDER BY id",
        arguments: [FTS5Pattern(matchingAllTokensIn: word)])
    }
  }
}
