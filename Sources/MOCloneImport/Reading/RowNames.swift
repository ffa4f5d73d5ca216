/// The names that may be in rows though nobody asks for them: those that a call ignores, and those of the model.
final class RowNames {
  private static let reasons = Array(RowText.reasonsName.utf8)

  private let ignored: Set<[UInt8]>
  private let model: Set<[UInt8]>
  /// What rows are of where no mapping says what their values become; nil with one.
  let entity: String?
  /// Names of the model that are in rows, though nobody asks for them.
  private(set) var passedOver: Set<String> = []

  init(ignored: some Sequence<String>, model: some Sequence<String>, entity: String? = nil) {
    self.entity = entity
    self.ignored = Set(ignored.map { Array($0.utf8) }).union([Self.reasons])
    self.model = Set(model.map { Array($0.utf8) })
  }

  /// - Parameter rows: what the rows around the name are called; of rows within such rows nothing would be read.
  func allows(_ name: UnsafeBufferPointer<UInt8>, in rows: Set<[UInt8]>) -> Bool {
    if ignores(name) { return true }
    let name = Array(name)
    guard model.contains(name), !rows.contains(name) else { return false }
    passedOver.insert(String(decoding: name, as: UTF8.self))
    return true
  }

  func ignores(_ name: UnsafeBufferPointer<UInt8>) -> Bool { ignored.contains(Array(name)) }

  /// Those that a message can propose.
  var all: [String] {
    model.union(ignored).subtracting([Self.reasons]).map { String(decoding: $0, as: UTF8.self) }
  }
}
