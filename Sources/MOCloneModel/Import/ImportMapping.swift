/// How the rows of a file become objects: which value goes into which attribute, and what belongs to what.
///
/// ```swift
/// let mapping = ImportMapping(
///   rows: "item", entity: "Item", attributes: ["name": .field("name")],
///   relationships: ["unit": .init(attributes: ["name": .field("unit")])])
/// ```
public struct ImportMapping: Sendable {
  /// Where a value comes from.
  public enum Source: Sendable, Hashable {
    /// An attribute, a column or a member of that name; parts of a path are divided by dots. The empty name is the
    /// row's own text.
    case field(String)
    /// The same text for every row, read as the attribute's type; nil represents null.
    case constant(String?)
  }

  /// What one kind of row makes: an object with its values, and what it is related to.
  public struct Node: Sendable {
    /// The entity of the objects; nil where it is the relationship's destination.
    public var entity: String?
    /// Where the rows are; nil where the values are in the same row.
    public var rows: String?
    /// Where the values of the attributes come from, by attribute.
    public var attributes: [String: Source]
    /// Constant values for every object.
    public var set: [String: Source]
    /// The related objects that the rows describe, by relationship.
    public var relationships: [String: Node]

    /// Creates a node; every parameter has the default that describes nothing.
    public init(
      entity: String? = nil, rows: String? = nil, attributes: [String: Source] = [:],
      set: [String: Source] = [:], relationships: [String: Node] = [:]
    ) {
      self.entity = entity
      self.rows = rows
      self.attributes = attributes
      self.set = set
      self.relationships = relationships
    }
  }

  /// What the rows of the file themselves make.
  public var root: Node
  /// What divides the values of CSV; a comma where nil.
  public var delimiter: String?
  /// Names in the file that mean nothing.
  public var ignore: [String] = []
  /// Whether blanks at the ends of strings are left out.
  public var trims = false
  /// The text that means null; an empty cell of a table says nothing.
  public var null: String?
  /// The file that the mapping was read from.
  public package(set) var source: SourceFile?
  package var places = SourceMap()

  /// Creates a mapping whose root has these rows, entity and values; the other options keep their defaults.
  public init(
    rows: String? = nil, entity: String, attributes: [String: Source] = [:], set: [String: Source] = [:],
    relationships: [String: Node] = [:], delimiter: String? = nil
  ) {
    root = Node(
      entity: entity, rows: rows, attributes: attributes, set: set, relationships: relationships)
    self.delimiter = delimiter
  }

  package init(root: Node, delimiter: String?) {
    self.root = root
    self.delimiter = delimiter
  }
}

extension ImportMapping.Node {
  /// All values that it gives, by attribute.
  public var values: [String: ImportMapping.Source] { attributes.merging(set) { _, set in set } }
}
