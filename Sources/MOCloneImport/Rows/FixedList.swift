/// Objects that are visited without counting references to them, which for each row of a file would take longer than
/// what is done with it.
struct FixedList<Element: AnyObject> {
  private let memory: Memory
  private let elements: UnsafeBufferPointer<Unmanaged<Element>>

  init(_ objects: [Element]) {
    memory = Memory(objects)
    elements = UnsafeBufferPointer(memory.elements)
  }

  @inline(__always)
  func each(_ body: (Element) throws -> Void) rethrows {
    for element in elements { try element._withUnsafeGuaranteedRef { try body($0) } }
  }

  /// Keeps the objects, and where they are listed.
  private final class Memory {
    let objects: [Element]
    let elements: UnsafeMutableBufferPointer<Unmanaged<Element>>

    init(_ objects: [Element]) {
      self.objects = objects
      elements = .allocate(capacity: objects.count)
      _ = elements.initialize(from: objects.map(Unmanaged.passUnretained))
    }

    deinit { elements.deallocate() }
  }
}
