import Foundation

/// The objects of an NSKeyedArchiver, without their classes.
struct KeyedArchive {
  private let list: BinaryPropertyList
  /// The objects by the numbers of the archive.
  private let table: [Int]
  private let top: Int

  /// - Throws: `ArchiveFault` where the data are no keyed archive.
  init(_ data: Data) throws(ArchiveFault) {
    list = try BinaryPropertyList(data)
    let objects = list.objects
    guard let entries = Self.entries(objects[list.top], objects: objects), let table = entries["$objects"],
      case .array(let numbers) = objects[table], let top = entries["$top"],
      let root = Self.entries(objects[top], objects: objects)?["root"], case .uid(let number) = objects[root],
      numbers.indices.contains(number)
    else { throw ArchiveFault("it is no keyed archive") }
    self.table = numbers
    self.top = numbers[number]
  }

  var root: Node { Node(archive: self, place: top) }

  private static func entries(
    _ object: BinaryPropertyList.Object, objects: [BinaryPropertyList.Object]
  ) -> [String: Int]? {
    guard case .dictionary(let keys, let values) = object else { return nil }
    var entries: [String: Int] = [:]
    for (key, value) in zip(keys, values) {
      if case .string(let name) = objects[key] { entries[name] = value }
    }
    return entries
  }

  /// An object with what it refers to; an archive may hold cycles, so nobody goes through it without end.
  struct Node {
    fileprivate let archive: KeyedArchive
    /// The number of the object in the property list, by which it is known again.
    let place: Int

    fileprivate var object: BinaryPropertyList.Object { archive.list.objects[place] }

    /// What a number of the archive stands for; nil for `$null`.
    private func resolved(_ place: Int) -> Node? {
      guard case .uid(let number) = archive.list.objects[place] else {
        return Node(archive: archive, place: place)
      }
      guard number > 0, archive.table.indices.contains(number) else { return nil }
      return Node(archive: archive, place: archive.table[number])
    }

    /// The values by their keys; those that are `$null` are left out.
    var entries: [String: Node] {
      (KeyedArchive.entries(object, objects: archive.list.objects) ?? [:]).compactMapValues(resolved)
    }

    subscript(key: String) -> Node? {
      guard case .dictionary(let keys, let values) = object else { return nil }
      for (name, value) in zip(keys, values) where archive.list.objects[name] == .string(key) {
        return resolved(value)
      }
      return nil
    }

    /// The name of the object's class.
    var className: String? { self["$class"]?["$classname"]?.string }

    // MARK: Values

    var string: String? {
      switch object {
      case .string(let text): text
      default: self["NS.string"]?.plainString
      }
    }

    private var plainString: String? { if case .string(let text) = object { text } else { nil } }

    var integer: Int64? {
      switch object {
      case .integer(let number): number
      case .boolean(let isTrue): isTrue ? 1 : 0
      default: nil
      }
    }

    var real: Double? { if case .real(let number) = object { number } else { integer.map(Double.init) } }

    var isTrue: Bool { (integer ?? 0) != 0 }

    var data: Data? {
      switch object {
      case .data(let bytes): bytes
      default: self["NS.data"].flatMap { if case .data(let bytes) = $0.object { bytes } else { nil } }
      }
    }

    /// The members of an archived array or set, or of a plain one.
    var list: [Node]? {
      if case .array(let places) = object { return places.compactMap(resolved) }
      guard let members = self["NS.objects"], case .array(let places) = members.object else { return nil }
      return places.compactMap(resolved)
    }

    /// The values of an archived dictionary, in its order.
    var values: [Node] { self["values"]?.list ?? list ?? [] }

    /// The entries of an archived dictionary whose keys are strings.
    var map: [(key: String, value: Node)] {
      guard case .array(let keys)? = self["NS.keys"]?.object,
        case .array(let values)? = self["NS.objects"]?.object
      else { return [] }
      return zip(keys, values).compactMap { key, value in
        guard let name = resolved(key)?.string, let value = resolved(value) else { return nil }
        return (name, value)
      }
    }
  }
}
