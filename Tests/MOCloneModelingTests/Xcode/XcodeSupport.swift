import Foundation
import MOCloneKit
import MOCloneModeling
import Testing

/// The Xcode models and Core Data stores that others made, which lie beside the package.
enum CoreDataFiles {
  static let models = [
    "3lvis__Sync__151-ordered-many-to-many-151-many-to-many", "3lvis__Sync__Notes-Demo",
    "SwiftGen__SwiftGen__Model-Model_2", "atomicbird__momcom__momcomTests-momcTests_2",
    "contentful__contentful-persistence.swift__Test", "fatbobman__MOCloner__Model",
    "gonzalezreal__Groot__Model",
    "magicalpanda__MagicalRecord__TestModel",
  ]
  /// Stores, each with the XML that its model was compiled from.
  static let stores = [
    ("CoreDataPlus_SampleModel_V1", "CoreDataPlus_SampleModel_V1__SampleModel"),
    ("CoreDataPlus_SampleModel_V2", "CoreDataPlus_SampleModel_V2__SampleModel2"),
    ("ddg_Bookmarks_V5", "ddg_Bookmarks_V5__BookmarksModel_5"), ("contentful_Test", "contentful_Test__Test"),
  ]

  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "shared/data")

  static var arePresent: Bool {
    FileManager.default.fileExists(atPath: folder.appending(path: "stores").path)
  }

  static func model(_ name: String) -> URL { folder.appending(path: "xcdatamodels/\(name).xml") }
  static func store(_ name: String) -> URL { folder.appending(path: "stores/\(name)") }
}

extension Trait where Self == ConditionTrait {
  /// Runs a test only where the files that others made lie beside the package.
  static var withCoreDataFiles: Self {
    .enabled("no Core Data files lie beside the package") { CoreDataFiles.arePresent }
  }
}

/// The XML of a model around the elements of its entities.
func xcodeModel(_ entities: String, rest: String = "") -> String {
  """
  <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
  <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
  \(entities)
  \(rest)</model>
  """
}

func draft(_ xml: String) throws -> ModelDraft {
  try ModelDraft(xcode: SourceFile(path: "contents", text: xml), name: "Notes")
}

/// An attribute of a model of one entity, as the elements of it say.
func attribute(_ xml: String) throws -> AttributeDescription {
  let model = try draft(xcodeModel("<entity name=\"Note\">\(xml)</entity>")).unvalidated
  return try #require(model.entity("Note")?.attributes.first)
}

/// `x-coredata` of a part.
func kept(_ extensions: [String: ExtensionValue]) -> [String: ExtensionValue] {
  if case .map(let values)? = extensions["x-coredata"] { values } else { [:] }
}

extension ObjectModel {
  /// The entities by name, without what only Xcode uses.
  var withoutXcode: [String: EntityDescription] {
    Dictionary(
      uniqueKeysWithValues: entities.map { entity in
        var entity = entity
        entity.extensions = [:]
        for i in entity.attributes.indices { entity.attributes[i].extensions = [:] }
        for i in entity.relationships.indices { entity.relationships[i].extensions = [:] }
        return (entity.name, entity)
      })
  }
}
