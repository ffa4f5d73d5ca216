extension CloneDifference {
  /// The changes for people, each once with the roots that show it.
  ///
  /// ```text
  /// breaking: Note.memos is no longer copied
  ///     before:  cloned (its own)
  ///     after:   left out (excluded by its annotation)
  ///     objects: Memo
  ///     copying: Note, Folder (over Folder.notes)
  /// ```
  package var text: String {
    if changes.isEmpty { return "Clones contain the same as before.\n" }
    return changes.map(\.text).joined(separator: "\n") + "\n\(summary)\n"
  }

  /// How many changes there are of either sort.
  var summary: String {
    let breaking = changes.count(where: \.isBreaking)
    let others = changes.count - breaking
    return
      "\(breaking) breaking \(breaking == 1 ? "change" : "changes"), \(others) \(others == 1 ? "other" : "others")"
  }

  /// The changes as a table for a pull request.
  package var markdown: String {
    let title = "### What clones contain now\n\n"
    if changes.isEmpty { return title + "Clones contain the same as before.\n" }
    let rows = changes.map(\.row).joined()
    return title
      + "\(summary).\n\n| | change | before | after | objects | copying |\n|---|---|---|---|---|---|\n" + rows
  }
}

extension CloneDifference.Change {
  /// More than these are counted, not named.
  private static let namedRoots = 4

  fileprivate var text: String {
    var lines = ["\(isBreaking ? "breaking" : "change"): \(subject) \(kind.words)"]
    if before != after { lines += ["    before:  \(before)", "    after:   \(after)"] }
    if !objects.isEmpty { lines.append("    objects: \(objects.joined(separator: ", "))") }
    if !roots.isEmpty { lines.append("    copying: \(rootsInWords { $0 })") }
    return lines.map { $0.printable + "\n" }.joined()
  }

  fileprivate var row: String {
    let cells = [
      isBreaking ? "**breaking**" : "", "\(subject.code) \(kind.words)", before.cell, after.cell,
      objects.map(\.code).joined(separator: ", "), rootsInWords(\.code),
    ]
    return "| \(cells.joined(separator: " | ")) |\n"
  }

  func rootsInWords(_ name: @escaping (String) -> String) -> String {
    let nearest = roots.enumerated().sorted {
      ($0.element.path.count, $0.offset) < ($1.element.path.count, $1.offset)
    }
    // Few of them are put into words.
    let names = nearest.lazy.map { nearest -> String in
      let root = nearest.element
      return root.path.isEmpty
        ? name(root.entity) : "\(name(root.entity)) (over \(name(root.path.joined(separator: " > "))))"
    }
    return names.listed(Self.namedRoots)
  }
}

extension CloneDifference.Kind {
  /// Follows the subject in a sentence.
  package var words: String {
    switch self {
    case .entityRemoved: "went"
    case .rootRefused: "can no longer be cloned by itself"
    case .noLongerCloned, .noLongerCopied: "is no longer copied"
    case .copyBecameLink: "is linked, no longer copied"
    case .linkBecameCopy: "is copied, no longer linked"
    case .noLongerLinked: "is no longer linked"
    case .noLongerOrdered: "is no longer copied in order"
    case .noLongerRebuilt: "is no longer rebuilt"
    case .noLongerFollowing: "no longer follows an ancestor"
    case .followsAnother: "follows another ancestor"
    case .entityAdded: "is new"
    case .rootAllowed: "can now be cloned by itself"
    case .newlyCloned, .newlyCopied: "is newly copied"
    case .newlyLinked: "is newly linked"
    case .ruleChanged: "has another rule"
    case .constraintAdded: "must be unique now"
    case .dataTightened: "may refuse data that exists"
    case .joinsOthers: "gains copies in objects that are not copied"
    case .renamed: "has a new name"
    }
  }
}

extension String {
  /// The text inside a table of Markdown.
  fileprivate var cell: String {
    printable.replacing("|", with: "\\|").replacing("<", with: "&lt;")
  }

  /// A name as code in a table of Markdown.
  fileprivate var code: String {
    "`\(printable.replacing("|", with: "\\|").replacing("`", with: "'"))`"
  }
}
