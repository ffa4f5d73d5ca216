/// Objects that are visited without counting references to them, which for each row of a file would take longer than
/// what is done with it.
struct FixedList<Element: AnyObject> {
  /// Keeps the objects.
  private let kept: [Element]
  private let elements: [Unmanaged<Element>]

  init(_ objects: [Element]) {
    kept = objects
    elements = objects.map(Unmanaged.passUnretained)
  }

  @inline(__always)
  func each(_ body: (Element) throws -> Void) rethrows {
    for element in elements { try element._withUnsafeGuaranteedRef { try body($0) } }
  }
}
