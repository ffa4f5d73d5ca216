import Foundation

/// What the graphs in memory hold: one note with items, five data an item, memos and two tags a memo.
struct NotesContent {
  static let tags = 100
  static let datasOfItem = 5
  static let date = Date(timeIntervalSinceReferenceDate: 700_000_000)
  let items: Int

  /// As many items as make that many objects, at least two.
  init(objects: Int) {
    items = max(2, objects * 2 / 13)
  }

  var memos: Int { items / 2 }
  var datas: Int { items * Self.datasOfItem }
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
