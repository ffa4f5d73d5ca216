extension RawValue {
  /// What SQLite turns values into as it stores them, by the declared type of the column.
  package enum Affinity: Sendable {
    case text, numeric, real, blob

    init(declared: String) {
      let type = declared.uppercased()
      if type.contains("INT") {
        self = .numeric
      } else if ["CHAR", "CLOB", "TEXT"].contains(where: type.contains) {
        self = .text
      } else if type.isEmpty || type.contains("BLOB") {
        self = .blob
      } else {
        self = ["REAL", "FLOA", "DOUB"].contains(where: type.contains) ? .real : .numeric
      }
    }
  }

  /// What a column of an affinity makes of the value.
  package func stored(_ affinity: Affinity) -> RawValue {
    switch (affinity, self) {
    case (.text, .integer(let number)): .string("\(number)")
    case (.text, .real(let number)): .string("\(number)")
    case (.numeric, .text), (.real, .text): parsed.map { $0.stored(affinity) } ?? self
    case (.numeric, .real(let number)):
      abs(number) < 9e15 ? Int64(exactly: number).map(RawValue.integer) ?? self : self
    case (.real, .integer(let number)): .real(Double(number))
    default: self
    }
  }

  /// A text that is written as a number as that number.
  private var parsed: RawValue? {
    guard case .text(let bytes) = self else { return nil }
    let text = String(decoding: bytes, as: UTF8.self)
    guard let first = text.first, let last = text.last, first.isNumber || "+-.".contains(first),
      last.isNumber || last == ".", text.allSatisfy({ "0123456789.+-eE".contains($0) })
    else { return nil }
    return Int64(text).map(RawValue.integer) ?? Double(text).map(RawValue.real)
  }
}
