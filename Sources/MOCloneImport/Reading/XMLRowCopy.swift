#if canImport(CLibXML)
  /// The row under way as it is written down again, in the elements and namespaces that stand around it.
  struct XMLRowCopy {
    private var text = XMLText()
    private let path: [String]
    /// What the elements around the rows declare.
    private var namespaces: [(name: [UInt8], address: [UInt8])] = []

    init(_ path: [String]) {
      self.path = path
    }

    mutating func clear() { text.clear() }

    var row: RowText {
      let end = text.firstNameEnd
      return RowText(bytes: text.bytes, gap: end..<end, style: .attribute)
    }

    mutating func begin(
      _ name: XMLName, attributes: XMLAttributes, namespaces: XMLNamespaces, isInRow: Bool
    ) {
      guard isInRow else { return note(namespaces) }
      let isRow = text.bytes.isEmpty
      text.begin(name.with(Array.init))
      for i in 0..<namespaces.count { text.attribute(namespaces.name(i), namespaces.address(i)) }
      for i in 0..<attributes.count {
        let name = attributes.name(i).with(Array.init)
        if isRow, name.elementsEqual(RowText.reasonsName.utf8) { continue }
        text.attribute(name, attributes.value(i))
      }
    }

    mutating func append(_ text: UnsafeBufferPointer<UInt8>) { self.text.text(text) }

    mutating func end(_ name: XMLName) { text.end(name.with(Array.init)) }

    private mutating func note(_ more: XMLNamespaces) {
      for i in 0..<more.count {
        let name = more.name(i)
        namespaces.removeAll { $0.name == name }
        namespaces.append((name, Array(more.address(i))))
      }
    }

    /// The elements of the path; around rows that may stand anywhere, one of another name than theirs.
    var frame: FileFrame {
      var open = XMLText()
      let around = path.count > 1 ? path.dropLast() : [path[0] + "s"]
      for (depth, name) in around.enumerated() {
        open.begin(Array(name.utf8))
        guard depth == 0 else { continue }
        for (name, address) in namespaces { address.withUnsafeBufferPointer { open.attribute(name, $0) } }
      }
      open.text(UnsafeBufferPointer(start: nil, count: 0))
      return FileFrame(
        head: "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + String(decoding: open.bytes, as: UTF8.self)
          + "\n",
        tail: "\n" + around.reversed().map { "</\($0)>" }.joined() + "\n")
    }
  }
#endif
