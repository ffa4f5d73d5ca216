import MOCloneEngine
import MOCloneModel

/// A picture of a model: a box for each entity and a line for each relationship with its inverse. For a clone plan it also
/// shows, by color, by line style and in words, what a clone copies, links and leaves out.
///
/// ```swift
/// let plan = try ClonePlan(model: model, entity: "Note")
/// print(ModelDiagram(plan).mermaid)
/// ```
public struct ModelDiagram: Sendable, Equatable {
  /// A notation that the picture is written in.
  public enum Format: String, Sendable, Hashable, CaseIterable {
    /// Mermaid's entity relationship diagram, which GitHub shows in Markdown.
    case mermaid
    /// The input of Graphviz.
    case dot
    /// A picture that Graphviz draws of `dot`.
    case svg
  }

  var name: String
  var boxes: [Box]
  var lines: [Line]
  /// Whether the picture is about a clone, and so has a legend.
  var isOfClone = false

  /// An entity.
  struct Box: Sendable, Equatable {
    var name: String
    var isAbstract: Bool
    var treatment: Treatment?
    /// How many objects a run would copy or link.
    var count: Int?
    var attributes: [Attribute]
    /// The constraints of several properties, each on a line.
    var constraints: [String]

    /// What the picture says of the entity as a whole.
    var words: [String] {
      let count = count.map { " ×\($0)" } ?? ""
      return [isAbstract ? "abstract" : nil, treatment.map { $0.rawValue + count }].compactMap { $0 }
    }
  }

  /// An attribute with what a reader should know of it: its annotations and how it differs from a plain one.
  struct Attribute: Sendable, Equatable {
    var name: String
    var type: String
    var isUnique: Bool
    var remarks: [String]
  }

  /// A relationship with its inverse, or an entity with its parent.
  struct Line: Sendable, Equatable {
    /// The number of a box.
    var source: Int
    var target: Int
    var ends: Ends
    var treatment: Treatment?
  }

  enum Ends: Sendable, Equatable {
    /// The source is the parent.
    case inheritance
    /// `source` is how many sources a target has; nil where no inverse says so.
    case relationship(name: String, inverse: String?, source: Cardinality?, target: Cardinality)
  }

  /// How many objects an object has at the other end.
  enum Cardinality: Sendable, Equatable {
    case zeroOrOne, one, zeroOrMore, oneOrMore
  }

  /// What becomes of an entity's objects, or of a relationship, in a clone.
  enum Treatment: String, Sendable, Hashable, CaseIterable {
    case root
    case copied
    case linked
    case leftOut = "left out"
  }
}

extension ModelDiagram {
  /// The text of the picture.
  ///
  /// - Throws: `DiagramError` for `svg` where Graphviz is not installed, or cannot draw it.
  public func text(_ format: Format) throws -> String {
    switch format {
    case .mermaid: mermaid
    case .dot: dot
    case .svg: try Graphviz.svg(of: dot)
    }
  }
}
