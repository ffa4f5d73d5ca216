import Foundation
import MOCloneModel

/// The Swift source of a model: an accessor, and the names of its entities and properties as constants.
///
/// ```swift
/// let graph = try SQLiteGraph(writer, model: .notes)
/// try cloner.clone(NotesModel.Note.entity, key: 42, in: graph, excluding: [NotesModel.Note.memos])
/// ```
///
/// The model's JSON stands in the source rather than in a resource: an accessor that reads a bundle fails at run time
/// where an executable was moved without it.
struct ModelSource {
  private let model: ObjectModel
  /// The name of the file it was read from.
  private let file: String
  private let stem: SwiftName

  init(_ model: ObjectModel, file: String) {
    self.model = model
    self.file = file
    let stem = file.split(separator: ".").first.map(String.init) ?? file
    self.stem = SwiftName(stem)
  }

  var text: String {
    """
    // Compiled from \(file); the next build writes this file anew.
    import Foundation
    import MOCloneModel

    extension ObjectModel {
      /// The model of \(file).
      static let \(stem.lowercased): ObjectModel = {
        do {
          return try ObjectModel(json: Data(\(Self.literal(json)).utf8), path: "\(file)")
        } catch {
          fatalError("\\(error)")  // It was valid when it was compiled.
        }
      }()
    }

    /// The names of \(file), so that a misspelt one does not compile.
    enum \(stem.uppercased)Model {
    \(entities)
    }

    """
  }

  private var json: String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // A model has no value that JSON cannot hold.
    return String(decoding: try! encoder.encode(model), as: UTF8.self)
  }

  private var entities: String {
    var taken: Set<String> = []
    return model.entities.map { entity in
      let name = SwiftName(entity.name).unique(among: &taken, isType: true)
      return """
          enum \(name) {
            static let entity = \(Self.literal(entity.name))
        \(properties(of: entity))
          }
        """
    }.joined(separator: "\n")
  }

  /// Inherited ones as well: they are asked for by the entity at hand.
  private func properties(of entity: EntityDescription) -> String {
    var taken: Set<String> = ["entity"]
    let names =
      model.attributes(of: entity.name).map(\.name) + model.relationships(of: entity.name).map(\.name)
    return names.map { name in
      "    static let \(SwiftName(name).unique(among: &taken, isType: false)) = \(Self.literal(name))"
    }.joined(separator: "\n")
  }

  /// A string literal; a raw one, with more number signs than the text has in a row, where it needs it.
  private static func literal(_ text: String) -> String {
    let isPlain = text.unicodeScalars.allSatisfy { $0 != "\"" && $0 != "\\" }
    let longest = text.split { $0 != "#" }.map(\.count).max() ?? 0
    let signs = isPlain ? "" : String(repeating: "#", count: longest + 1)
    return "\(signs)\"\(text)\"\(signs)"
  }
}

/// A name of a model as Swift can write it.
struct SwiftName {
  /// Letters, digits and underscores, no digit first.
  private let text: String

  init(_ name: String) {
    var text = ""
    for scalar in name.unicodeScalars {
      let isPart = scalar.properties.isXIDContinue
      text.unicodeScalars.append(isPart ? scalar : "_")
    }
    let canStart = text.unicodeScalars.first.map { $0.properties.isXIDStart || $0 == "_" } ?? false
    self.text = (canStart ? text : "_" + text)
  }

  var lowercased: String { Self.escaped(text.prefix(1).lowercased() + text.dropFirst()) }

  /// Not in backticks: something follows it.
  var uppercased: String { text.prefix(1).uppercased() + text.dropFirst() }

  /// The name, with underscores behind it where another one has it or the language reserves it.
  func unique(among taken: inout Set<String>, isType: Bool) -> String {
    var name = text
    while Self.reserved.contains(name) || !taken.insert(name).inserted { name += "_" }
    return Self.escaped(name)
  }

  /// Names that members cannot have, in backticks or without.
  private static let reserved: Set<String> = ["Type", "Protocol", "self", "Self", "init", "_"]

  private static func escaped(_ name: String) -> String {
    keywords.contains(name) ? "`\(name)`" : name
  }

  private static let keywords: Set<String> = [
    "Any", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer",
    "deinit", "do",
    "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if",
    "import", "in",
    "init", "inout", "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol",
    "public",
    "repeat", "rethrows", "return", "self", "Self", "static", "struct", "subscript", "super", "switch",
    "throw",
    "throws", "true", "try", "typealias", "var", "where", "while",
  ]
}
