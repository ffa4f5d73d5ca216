/// One finding about a model: what is wrong, where, and what to do.
public struct Diagnostic: Sendable, Hashable {
  public var code: DiagnosticCode
  public var severity: Severity
  public var message: String
  /// The part of the model that the finding is about; where the model was read from text it leads to `range`.
  public var path: ModelPath
  public var range: SourceRange?
  public var notes: [Note]
  /// The edit that fixes it, as a sentence.
  public var help: String?
  /// The edit of the file that fixes it, where one surely does.
  public var fix: Fix?
  /// A misspelt key and the one that should stand there, by which the fix is found in the file.
  package var renaming: Renaming?

  /// An edit of a file: some of its bytes become others.
  public struct Fix: Sendable, Hashable {
    /// In the UTF-8 of `SourceFile.text`.
    public var bytes: Range<Int>
    public var replacement: String

    public init(bytes: Range<Int>, replacement: String) {
      self.bytes = bytes
      self.replacement = replacement
    }
  }

  package struct Renaming: Sendable, Hashable {
    package var written: String
    package var meant: String
  }

  /// A second place that belongs to a finding.
  public struct Note: Sendable, Hashable {
    public var message: String
    public var path: ModelPath
    public var range: SourceRange?

    public init(_ message: String, at path: ModelPath, range: SourceRange? = nil) {
      self.message = message
      self.path = path
      self.range = range
    }
  }

  /// - Parameters:
  ///   - code: the code of the finding.
  ///   - severity: the code's default where nil.
  ///   - path: the part of the model that the finding is about.
  ///   - message: what is wrong.
  ///   - notes: further places that belong to the finding.
  ///   - help: what to do, as a sentence.
  ///   - fix: the edit of the file.
  ///   - range: the place in the file.
  public init(
    _ code: DiagnosticCode, _ severity: Severity? = nil, at path: ModelPath, _ message: String,
    notes: [Note] = [], help: String? = nil, fix: Fix? = nil, range: SourceRange? = nil
  ) {
    self.code = code
    self.severity = severity ?? code.defaultSeverity
    self.path = path
    self.message = message
    self.notes = notes
    self.help = help
    self.fix = fix
    self.range = range
  }
}

/// How grave a finding is; `clone` refuses only on errors.
public enum Severity: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  case note, warning, error

  public static func < (a: Self, b: Self) -> Bool {
    a.rank < b.rank
  }

  private var rank: Int {
    switch self {
    case .note: 0
    case .warning: 1
    case .error: 2
    }
  }
}

/// A place in a model file; lines and columns count from 1, columns in Unicode code points.
public struct SourceRange: Sendable, Hashable {
  public struct Position: Sendable, Hashable, Comparable {
    public var line: Int { Int(storedLine) }
    public var column: Int { Int(storedColumn) }
    // A large file has many places; 8 bytes each are enough for files of 8 MB.
    private var storedLine: Int32
    private var storedColumn: Int32

    public init(line: Int, column: Int) {
      storedLine = Int32(clamping: line)
      storedColumn = Int32(clamping: column)
    }

    public static func < (a: Self, b: Self) -> Bool {
      (a.line, a.column) < (b.line, b.column)
    }
  }

  public var start: Position
  /// The first position behind the range.
  public var end: Position

  public init(start: Position, end: Position) {
    self.start = start
    self.end = end
  }
}

/// The way to one key of a model, as it is in the model file: `entities`, `Note`, `attributes`, `id`, `type`.
public struct ModelPath: Sendable, Hashable {
  public var components: [String]

  public init(_ components: [String] = []) {
    self.components = components
  }

  public static let model = ModelPath()

  public static func entity(_ name: String) -> ModelPath {
    ModelPath(["entities", name])
  }

  public static func attribute(_ attribute: AttributeDescription) -> ModelPath {
    entity(attribute.entity) / "attributes" / attribute.name
  }

  public static func relationship(_ relationship: RelationshipDescription) -> ModelPath {
    entity(relationship.entity) / "relationships" / relationship.name
  }

  /// The path of a key below this one.
  public static func / (path: ModelPath, key: String) -> ModelPath {
    ModelPath(path.components + [key])
  }

  /// The path this one is in; the model's own is its own parent.
  public var parent: ModelPath {
    ModelPath(components.dropLast())
  }
}

/// Every finding about a model that cannot be used.
public struct ModelError: Error, Sendable, Equatable {
  public let diagnostics: [Diagnostic]
  /// The file the model was read from.
  public let source: SourceFile?

  public init(diagnostics: [Diagnostic], source: SourceFile? = nil) {
    self.diagnostics = diagnostics
    self.source = source
  }
}

extension ModelError: CustomStringConvertible {
  /// The report that `moclone validate` prints.
  public var description: String {
    TextReporter(source).report(diagnostics)
  }
}
