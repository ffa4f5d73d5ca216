import Foundation
import GRDB

public struct Person: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
  public var id: Int64?
  public var name: String

  public mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

public struct Project: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
  public var id: Int64?
  public var uuid = UUID()
  public var name: String
  public var createdAt = Date()
  public var cardCount = 0
  public var ownerId: Int64

  static let cards = hasMany(Card.self)
  static let labels = hasMany(Label.self)

  public mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

public struct Label: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
  public var id: Int64?
  public var name: String
  public var color: String
  public var projectId: Int64

  public mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

public struct Card: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
  public var id: Int64?
  public var uuid = UUID()
  public var title: String
  public var text = ""
  public var projectUUID: UUID
  public var projectId: Int64
  public var assigneeId: Int64?

  static let labels = hasMany(
    Label.self, through: hasMany(CardLabel.self), using: CardLabel.belongsTo(Label.self))
  static let items = hasMany(ChecklistItem.self)

  public mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}

public struct CardLabel: Codable, Sendable, FetchableRecord, PersistableRecord {
  public var cardId: Int64
  public var labelId: Int64
}

public struct ChecklistItem: Codable, Sendable, FetchableRecord, MutablePersistableRecord {
  public var id: Int64?
  public var text: String
  public var isDone = false
  public var cardId: Int64

  public mutating func didInsert(_ inserted: InsertionSuccess) { id = inserted.rowID }
}
