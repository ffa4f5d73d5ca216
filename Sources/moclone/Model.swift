import ArgumentParser
import Foundation
import MOCloneKit

struct ModelCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "model", abstract: "Prints models and the schemas of their files.",
    discussion: """
      EXAMPLES:
        moclone model show
        moclone model import chinook.sqlite -o chinook.yml
        moclone model schema > moclone.schema.json
      """,
    subcommands: [Show.self, Import.self, Schema.self])

  struct Show: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "show", abstract: "Prints the entities of the model with their tables and columns.",
      discussion: """
        EXAMPLES:
          moclone model show
          moclone model show --format json
        """)

    @OptionGroup var project: ProjectOptions

    @Option(help: "The format of the output: text or json.")
    var format = OutputFormat.text

    @OptionGroup var console: ConsoleOptions

    func run() throws {
      let model = try project.loadModel()
      switch format {
      case .text: try Console.output.writeAll(ModelText(model).text.printableLines)
      case .json:
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try Console.output.writeAll(String(decoding: encoder.encode(model), as: UTF8.self) + "\n")
      }
    }
  }
}

extension ModelCommand {
  struct Schema: RunnableCommand {
    static let configuration = CommandConfiguration(
      commandName: "schema", abstract: "Prints the JSON Schema of model files, for editors.",
      discussion: """
        EXAMPLES:
          moclone model schema > moclone.schema.json
          moclone model schema --settings
        """)

    @Flag(help: "Print the schema of moclone.yml instead.")
    var settings = false

    @Flag(help: "Print the schema of the mapping files of imports instead.")
    var `import` = false

    @OptionGroup var console: ConsoleOptions

    func run() throws {
      let schema = settings ? FormatSchema.settings : `import` ? .importMapping : .model
      try Console.output.writeAll(schema.description)
    }
  }
}

/// A model for people: each entity with its table, its properties with their columns.
struct ModelText {
  let model: ObjectModel
  private let mapping: SchemaMapping

  init(_ model: ObjectModel) {
    self.model = model
    mapping = SchemaMapping(model)
  }

  var text: String {
    model.entities.map(entity).joined(separator: "\n")
  }

  private func entity(_ entity: EntityDescription) -> String {
    let map = mapping[entity.name]
    let parent = entity.parent.map { ": \($0)" } ?? ""
    let abstract = entity.isAbstract ? "abstract " : ""
    let title =
      "\(abstract)\(entity.name)\(parent)  in \(map.table) by \(map.keyColumns.joined(separator: ", "))\n"
    let attributes = entity.attributes.map { attribute in
      "  \(attribute.name): \(attribute.type.rawValue)\(attribute.isOptional ? "?" : "")"
        + "  \(map.attributes[attribute.name]?.column ?? "not stored")\(annotations(attribute.userInfo))\n"
    }
    let relationships = entity.relationships.map { relationship in
      let many = relationship.isToMany ? (relationship.isOrdered ? "ordered " : "") + "many " : ""
      let inverse = relationship.inverse.map { ", inverse \($0)" } ?? ""
      return
        "  \(relationship.name): \(many)\(relationship.destination)\(relationship.isOptional ? "?" : "")\(inverse)"
        + "  \(columns(of: map.relationships[relationship.name]))\(annotations(relationship.userInfo))\n"
    }
    return title + attributes.joined() + relationships.joined()
  }

  private func columns(of relationship: RelationshipMapping?) -> String {
    switch relationship {
    case .foreignKey(let key): key.columns.joined(separator: ", ")
    case .inverseForeignKey(let key): "\(mapping[key.entity].table).\(key.columns.joined(separator: ", "))"
    case .join(let join): "\(join.table)(\((join.columns + join.destinationColumns).joined(separator: ", ")))"
    case nil: ""
    }
  }

  private func annotations(_ userInfo: [String: String]) -> String {
    userInfo.isEmpty
      ? ""
      : "  "
        + userInfo.sorted { $0.key < $1.key }.map { $1.isEmpty ? "@\($0)" : "@\($0)(\($1))" }
        .joined(separator: " ")
  }
}
