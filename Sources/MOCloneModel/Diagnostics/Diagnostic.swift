/// One finding about a model: what is wrong, where, and what to do.
public struct Diagnostic: Sendable, Hashable {
  /// The stable name of the kind of finding, as `moclone explain` knows it.
  public var code: DiagnosticCode
  /// How grave the finding is; only errors keep a model from being used, but those about some clones do not.
  public var severity: Severity
  /// What is wrong, for people to read.
  public var message: String
  /// The part of the model that the finding is about; where the model was read from text it leads to `range`.
  public var path: ModelPath
  /// The place in the model file; nil for a model built in code, and where the whole file is meant.
  public var range: SourceRange?
  /// Further places that belong to the finding; often none.
  public var notes: [Note]
  /// The edit that fixes it, as a sentence.
  public var help: String?
  /// The edits of the model that the help proposes, each of which is enough; empty where it proposes none, or none that is
  /// settled by the model alone.
  public var edits: [ModelEdit]
  /// The edit of the file that fixes it, where one surely does.
  public var fix: Fix?
  /// Whether every clone that comes to this place is refused, so that who checks the model should take it for an error, though
  /// the model can be used for everything else.
  package var refusesClones = false
  /// Whether nothing can be done with a model that has the finding: other errors are told where a clone meets them.
  package var forbidsUse: Bool { severity == .error && !refusesClones }
  /// A misspelt key and the one that should stand there, by which the fix is found in the file.
  package var renaming: Renaming?

  /// An edit of a file: some of its bytes become others.
  public struct Fix: Sendable, Hashable {
    /// In the UTF-8 of `SourceFile.text`.
    public var bytes: Range<Int>
    /// The string that takes the place of the bytes; empty where they are only removed.
    public var replacement: String

    /// Creates an edit; it changes nothing until it is applied to the text.
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
    /// What the second place has to do with the finding.
    public var message: String
    /// The part of the model that the note is about.
    public var path: ModelPath
    /// The place in the model file; nil for a model built in code.
    public var range: SourceRange?

    /// Creates a note about a part of a model.
    public init(_ message: String, at path: ModelPath, range: SourceRange? = nil) {
      self.message = message
      self.path = path
      self.range = range
    }
  }

  /// Creates a finding, whose severity is by default that of its code.
  ///
  /// - Parameters:
  ///   - code: the code of the finding.
  ///   - severity: the code's default where nil.
  ///   - path: the part of the model that the finding is about.
  ///   - message: what is wrong.
  ///   - notes: further places that belong to the finding.
  ///   - help: what to do, as a sentence.
  ///   - edits: the edits of the model that the help proposes.
  ///   - fix: the edit of the file.
  ///   - range: the place in the file.
  public init(
    _ code: DiagnosticCode, _ severity: Severity? = nil, at path: ModelPath, _ message: String,
    notes: [Note] = [], help: String? = nil, edits: [ModelEdit] = [], fix: Fix? = nil,
    range: SourceRange? = nil
  ) {
    self.code = code
    self.severity = severity ?? code.defaultSeverity
    self.path = path
    self.message = message
    self.notes = notes
    self.help = help
    self.edits = edits
    self.fix = fix
    self.range = range
  }
}

/// How grave a finding is; `clone` refuses only on errors.
public enum Severity: String, Sendable, Hashable, Codable, CaseIterable, Comparable {
  /// Worth knowing, but nothing is wrong.
  case note
  /// Probably not meant; a clone can be made.
  case warning
  /// The model cannot be used, or the run is refused.
  case error

  public static func < (a: Self, b: Self) -> Bool {
    a.rank < b.rank
  }

  private var rank: Int { Self.allCases.firstIndex(of: self)! }
}

/// A place in a model file; lines and columns count from 1, columns in Unicode code points.
public struct SourceRange: Sendable, Hashable {
  /// One character of a model file, ordered by line, then by column.
  public struct Position: Sendable, Hashable, Comparable {
    /// The line, counted from 1.
    public var line: Int { Int(storedLine) }
    /// The column in Unicode code points, counted from 1.
    public var column: Int { Int(storedColumn) }
    // A large file has many places; 8 bytes each are enough for files of 8 MB.
    private var storedLine: Int32
    private var storedColumn: Int32

    /// Creates a position; numbers that do not fit into 32 bits are limited to the nearest one that does.
    public init(line: Int, column: Int) {
      storedLine = Int32(clamping: line)
      storedColumn = Int32(clamping: column)
    }

    public static func < (a: Self, b: Self) -> Bool {
      (a.line, a.column) < (b.line, b.column)
    }
  }

  /// The first position of the range.
  public var start: Position
  /// The first position behind the range.
  public var end: Position

  /// Creates a range that begins at one position and ends before another.
  public init(start: Position, end: Position) {
    self.start = start
    self.end = end
  }
}

/// The way to one key of a model, as it is in the model file: `entities`, `Note`, `attributes`, `id`, `type`.
public struct ModelPath: Sendable, Hashable {
  /// The keys from the top of the file to this one; empty for the model itself.
  public var components: [String]

  /// Creates a path from its keys; without any it is the model's own.
  public init(_ components: [String] = []) {
    self.components = components
  }

  /// The path of the model itself, which has no components.
  public static let model = ModelPath()

  /// The path of an entity, whether the model has one of that name or not.
  public static func entity(_ name: String) -> ModelPath {
    ModelPath(["entities", name])
  }

  /// The path of an attribute below the entity that declares it.
  public static func attribute(_ attribute: AttributeDescription) -> ModelPath {
    entity(attribute.entity) / "attributes" / attribute.name
  }

  /// The path of a relationship below the entity that declares it.
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
  /// The findings, at least one of which is an error; warnings and notes are among them.
  public let diagnostics: [Diagnostic]
  /// The file the model was read from.
  public let source: SourceFile?

  /// Creates an error from the findings about a model.
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
