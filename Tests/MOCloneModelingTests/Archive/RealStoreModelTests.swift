import Foundation
import MOCloneKit
import MOCloneModeling
import TestSupport
import Testing

@Suite("Core Data stores that others made", .withCoreDataFiles)
struct RealStoreModelTests {
  @Test(arguments: CoreDataFiles.stores)
  func theModelOfAStoreIsThatOfItsXML(store: String, xml: String) throws {
    let file = CoreDataFiles.store(store + ".sqlite")
    let bytes = try Data(contentsOf: file)
    let fromStore = try ModelDraft(contentsOf: file)
    let fromXML = try ModelDraft(contentsOf: CoreDataFiles.store(xml + ".xml"))
    #expect(fromStore.unvalidated.withoutXcode == fromXML.unvalidated.withoutXcode)
    #expect(fromStore.omissions.isEmpty)
    #expect(try Data(contentsOf: file) == bytes)
  }

  @Test func theModelFileIsReadWhereItIsNamed() throws {
    let xml = CoreDataFiles.store("contentful_Test__Test.xml")
    let draft = try ModelDraft(
      contentsOf: CoreDataFiles.store("contentful_Test.sqlite"), options: ModelSourceOptions(modelFile: xml))
    #expect(draft.unvalidated == (try ModelDraft(contentsOf: xml).unvalidated))
  }

  @Test func aModelFileOfAnotherVersionIsNoted() throws {
    let options = ModelSourceOptions(
      modelFile: CoreDataFiles.store("CoreDataPlus_SampleModel_V1__SampleModel.xml"))
    let store = CoreDataFiles.store("CoreDataPlus_SampleModel_V2.sqlite")
    let draft = try ModelDraft(contentsOf: store, options: options)
    let begin = "The store '\(store.path)' was made with another model: "
    let note = try #require(draft.omissions.first { $0.hasPrefix(begin) })
    #expect(note.hasSuffix("only its own has 'LuxuryCar', only this one has 'ExpensiveSportCar'."))
  }

  @Test func renamedEntitiesAndFetchIndexesAreRead() throws {
    let model = try ModelDraft(contentsOf: CoreDataFiles.store("CoreDataPlus_SampleModel_V2.sqlite")).model()
    #expect(model.entity("LuxuryCar")?.renamedFrom == "ExpensiveSportCar")
    #expect(model.lineage(of: "LuxuryCar") == ["LuxuryCar", "SportCar", "Car"])
    #expect(model.entity("Car")?.uniquenessConstraints == [["numberPlate"]])
    #expect(kept(model.entity("Car")!.extensions)["fetchIndex"] != nil)
  }

  @Test func aStoreWithoutItsModelAsksForTheXML() throws {
    let folder = try TemporaryFolder()
    let store = folder.file("old.sqlite")
    try FileManager.default.copyItem(at: CoreDataFiles.store("CoreDataPlus_SampleModel_V2.sqlite"), to: store)
    try DatabaseFile.execute("DROP TABLE Z_MODELCACHE", at: store.path)
    #expect {
      try ModelDraft(contentsOf: store)
    } throws: {
      "\($0)".contains("pass its Xcode model to `moclone model import` with --model-file")
    }
    let options = ModelSourceOptions(
      modelFile: CoreDataFiles.store("CoreDataPlus_SampleModel_V2__SampleModel2.xml"))
    #expect(try ModelDraft(contentsOf: store, options: options).entities.count == 4)
  }
}
