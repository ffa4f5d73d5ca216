/// Where the keys and values of a model are in its file.
///
/// A tree in one dictionary: each step of a path leads from a place's number to the next, so that no whole path is
/// hashed or kept.
package struct SourceMap: Sendable {
  private struct Step: Hashable {
    var from: Int32
    var key: String
  }

  private struct Place {
    var range: SourceRange?
    var key: SourceRange?
  }

  package init() {}

  private var steps: [Step: Int32] = [:]
  private var places = [Place()]
  /// What the last path is in: neighbours follow each other.
  private var recent: (path: ArraySlice<String>, place: Int32) = ([], 0)

  /// Notes the place of a key; a value on one line says more than its key, a map or a list less.
  package mutating func add(_ path: ModelPath, _ entry: SyntaxNode.Entry) {
    let isScalar = entry.value.scalar != nil && !entry.value.isNull
    let place = number(of: path)
    places[place].range = isScalar ? entry.value.range : entry.keyRange
    places[place].key = entry.keyRange
  }

  package mutating func add(_ path: ModelPath, _ range: SourceRange) {
    places[number(of: path)].range = range
  }

  private mutating func number(of path: ModelPath) -> Int {
    let above = path.components.dropLast()
    if above != recent.path {
      let place = above.reduce(0) { step(from: $0, to: $1) }
      recent = (above, place)
    }
    guard let key = path.components.last else { return 0 }
    return Int(step(from: recent.place, to: key))
  }

  private mutating func step(from place: Int32, to key: String) -> Int32 {
    func known(or new: Int32, _ step: inout Int32) -> Int32 {
      if step == 0 { step = new }
      return step
    }
    let place = known(or: Int32(places.count), &steps[Step(from: place, key: key), default: 0])
    if place == places.count { places.append(Place()) }
    return place
  }

  /// The place of a path, else of what it is in.
  package func range(of path: ModelPath) -> SourceRange? {
    known(path).reversed().lazy.compactMap(\.range).first
  }

  private func keyRange(of path: ModelPath) -> SourceRange? {
    let known = known(path)
    return known.count == path.components.count + 1 ? known.last?.key : nil
  }

  /// The places along a path as far as it leads, the model's first.
  private func known(_ path: ModelPath) -> [Place] {
    var found = [places[0]]
    var place: Int32 = 0
    for key in path.components {
      guard let next = steps[Step(from: place, key: key)] else { break }
      found.append(places[Int(next)])
      place = next
    }
    return found
  }

  /// The findings whose key is wrong, whatever its value.
  private static let aboutKeys: Set<DiagnosticCode> = [
    .misspeltAnnotation, .misplacedAnnotation, .unknownName,
  ]

  /// The finding with the places of its paths.
  package func locate(_ diagnostic: Diagnostic) -> Diagnostic {
    var diagnostic = diagnostic
    let isAboutKey = Self.aboutKeys.contains(diagnostic.code)
    diagnostic.range =
      diagnostic.range ?? (isAboutKey ? keyRange(of: diagnostic.path) : nil) ?? range(of: diagnostic.path)
    diagnostic.notes = diagnostic.notes.map { note in
      Diagnostic.Note(note.message, at: note.path, range: note.range ?? range(of: note.path))
    }
    return diagnostic
  }
}
