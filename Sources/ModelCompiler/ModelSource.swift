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
  private let accessor: String
  private let names: String

  /// - Parameter file: the name of the model file, which ends with `.moclone.yml`.
  init(_ model: ObjectModel, file: String) {
    self.model = model
    self.file = file
    let stem = SwiftName(file.hasSuffix(Self.suffix) ? String(file.dropLast(Self.suffix.count)) : file).text
    var taken: Set<String> = []
    accessor = SwiftName(stem.prefix(1).lowercased() + stem.dropFirst()).unique(among: &taken)
    let name = stem.prefix(1).uppercased() + stem.dropFirst() + "Model"
    // The library's own type must stay in sight.
    names = name == "ObjectModel" ? "ObjectModel_" : name
  }

  private static let suffix = ".moclone.yml"

  var text: String {
    """
    // Compiled from \(file); the next build writes this file anew.
    import Foundation
    import MOCloneModel

    extension MOCloneModel.ObjectModel {
      /// The model of \(file).
      static let \(accessor): MOCloneModel.ObjectModel = {
        do {
          return try MOCloneModel.ObjectModel(
            json: Foundation.Data(\(Self.literal(json)).utf8), path: \(Self.literal(file)))
        } catch {
          fatalError("\\(error)")  // It was valid when it was compiled.
        }
      }()
    }

    /// The names of \(file), so that a misspelt one does not compile.
    enum \(names) {
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
    let names = SwiftName.unique(model.entities.map(\.name), besides: [])
    return zip(model.entities, names).map { entity, name in
      """
        enum \(name) {
          static let entity = \(Self.literal(entity.name))
      \(properties(of: entity))
        }
      """
    }.joined(separator: "\n")
  }

  /// Inherited ones as well: they are asked for by the entity at hand.
  private func properties(of entity: EntityDescription) -> String {
    let properties =
      model.attributes(of: entity.name).map(\.name) + model.relationships(of: entity.name).map(\.name)
    return zip(properties, SwiftName.unique(properties, besides: ["entity"])).map { property, name in
      "    static let \(name) = \(Self.literal(property))"
    }.joined(separator: "\n")
  }

  /// A string literal: a raw one where the text has quotes or backslashes and nothing else that must be escaped.
  private static func literal(_ text: String) -> String {
    let isPrintable = text.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control }
    guard isPrintable, text.contains("\""), !text.hasPrefix("\"") else { return String(reflecting: text) }
    let longest = text.split { $0 != "#" }.map(\.count).max() ?? 0
    let signs = String(repeating: "#", count: longest + 1)
    return "\(signs)\"\(text)\"\(signs)"
  }
}

/// A name of a model as Swift can write it.
struct SwiftName {
  /// Letters, digits and underscores, no digit first.
  let text: String

  init(_ name: String) {
    var text = ""
    for scalar in name.unicodeScalars {
      text.unicodeScalars.append(scalar.properties.isXIDContinue ? scalar : "_")
    }
    let canStart = text.unicodeScalars.first.map { $0.properties.isXIDStart || $0 == "_" } ?? false
    self.text = canStart ? text : "_" + text
  }

  /// The names of several, in their order; names that Swift can write as they are keep them, whatever else is there.
  static func unique(_ names: [String], besides taken: Set<String>) -> [String] {
    var taken = taken
    var found: [Int: String] = [:]
    let plain = names.indices.filter { SwiftName(names[$0]).text == names[$0] }
    for i in plain + names.indices.filter({ !plain.contains($0) }) {
      found[i] = SwiftName(names[i]).unique(among: &taken)
    }
    return names.indices.map { found[$0]! }
  }

  /// The name, with underscores behind it where another one has it or the language reserves it.
  func unique(among taken: inout Set<String>) -> String {
    var name = text
    while Self.reserved.contains(name) || !taken.insert(name).inserted { name += "_" }
    return Self.keywords.contains(name) ? "`\(name)`" : name
  }

  /// Names that members cannot have, in backticks or without.
  private static let reserved: Set<String> = ["Type", "Protocol", "self", "Self", "init", "_"]

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
