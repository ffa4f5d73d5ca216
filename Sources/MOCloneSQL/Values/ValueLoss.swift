import MOCloneModel

/// What a type of a server has no room for in a value that the model takes for the same, so that the value comes in and what
/// brought it is still missed.
enum ValueLoss {
  /// Numbers that are true beside 1.
  case truths
  /// The digits of a second behind the sixth.
  case digits
  /// The first of several values of one name.
  case names

  /// - Parameter column: that of the server.
  init?(into column: AttributeColumn) {
    switch column.type {
    case .boolean: self = .truths
    case .date where StorageForm(column) == .typed: self = .digits
    case .string where column.base == "jsonb": self = .names
    default: return nil
    }
  }

  /// Whether a value of another store loses it.
  func isFound(in value: StoredValue) -> Bool {
    switch (self, value) {
    case (.truths, .integer(let number)): number != 0 && number != 1
    case (.digits, .text(let text)): Self.hasDigits(text)
    case (.names, .text(let text)): Self.repeatsNames(text)
    default: false
    }
  }

  private static func hasDigits(_ date: String) -> Bool {
    let fraction = date.split(separator: ".").dropFirst().first?.prefix(while: \.isNumber) ?? ""
    return fraction.dropFirst(6).contains { $0 != "0" }
  }

  /// Whether an object in a text that is JSON has two values of one name.
  private static func repeatsNames(_ json: String) -> Bool {
    let bytes = Array(json.utf8)
    // Those of the objects and lists that are open, and the last string, which is a name before a colon.
    var names: [Set<String>] = []
    var last = ""
    var place = 0
    while place < bytes.count {
      switch bytes[place] {
      case UInt8(ascii: "{"), UInt8(ascii: "["): names.append([])
      case UInt8(ascii: "}"), UInt8(ascii: "]"): _ = names.popLast()
      case UInt8(ascii: ":"):
        guard !names.isEmpty else { return false }
        if !names[names.count - 1].insert(last).inserted { return true }
      case UInt8(ascii: "\""):
        let start = place + 1
        place = start
        while place < bytes.count, bytes[place] != UInt8(ascii: "\"") {
          place += bytes[place] == UInt8(ascii: "\\") ? 2 : 1
        }
        last = String(decoding: bytes[start..<min(place, bytes.count)], as: UTF8.self)
      default: break
      }
      place += 1
    }
    return false
  }
}
