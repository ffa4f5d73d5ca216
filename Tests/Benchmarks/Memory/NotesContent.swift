import Foundation

/// What the graphs in memory hold: one note with items, data of each item, memos and two tags a memo.
struct NotesContent {
  static let tags = 100
  static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
  /// One object of each kind that is cloned.
  static let small = NotesContent(items: 1, datasOfItem: 1, memos: 1)
  let items: Int
  let datasOfItem: Int
  let memos: Int

  /// As many items as make that many objects, at least two.
  init(objects: Int) {
    let items = max(2, objects * 2 / 13)
    self.init(items: items, datasOfItem: 5, memos: items / 2)
  }

  private init(items: Int, datasOfItem: Int, memos: Int) {
    self.items = items
    self.datasOfItem = datasOfItem
    self.memos = memos
  }

  var datas: Int { items * datasOfItem }
  var links: Int { memos * 2 }
  var objects: Int { 1 + items + datas + memos }

  func tagNumbers(ofMemo number: Int) -> [Int] {
    [number % Self.tags, (number + 37) % Self.tags]
  }

  /// Longer than what a string holds without memory of its own.
  func payload(_ number: Int) -> String {
    "payload of item \(number) ".padding(toLength: 60, withPad: ".", startingAt: 0)
  }

  func value(_ item: Int, _ data: Int) -> Double { Double(item) + Double(data) / 8 }
  func text(_ item: Int) -> String { "text \(item % 1000)" }
}
