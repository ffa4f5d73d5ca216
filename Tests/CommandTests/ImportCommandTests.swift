import Foundation
import GRDB
import TestSupport
import Testing

@Suite("moclone import")
struct ImportCommandTests {
  /// A folder with the Groceries and an empty store.
  private final class Shop {
    private let temporary: TemporaryFolder
    var folder: URL { temporary.url }
    let example = project.appendingPathComponent("Examples/Groceries")
    var environment: [String: String] {
      [
        "MOCLONE_MODEL": example.appendingPathComponent("Groceries.yml").path,
        "MOCLONE_STORE": folder.appendingPathComponent("g.sqlite").path,
      ]
    }

    init() throws {
      temporary = try TemporaryFolder()
      try #require(run("store", "init").status == 0)
      try write(
        """
        entity: Item
        attributes: {name: '@name', quantity: '@quantity'}
        set: {listed: false}
        relationships: {unit: {attributes: {name: '@unit'}}}
        """, to: "map.yml")
    }

    func write(_ text: String, to name: String) throws {
      try text.write(to: folder.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }

    func run(_ arguments: String..., input: String = "") throws -> Finished {
      try CommandTests.run("moclone", arguments, input: input, in: folder, environment: environment)
    }

    func number(_ sql: String) throws -> Int {
      try DatabaseQueue(path: folder.appendingPathComponent("g.sqlite").path).read {
        try Int.fetchOne($0, sql: sql)!
      }
    }
  }

  @Test("A missing column that no row needs is told on standard error")
  func missingColumn() throws {
    let shop = try Shop()
    try shop.write("name,quantity\nMilk,1\n", to: "items.csv")
    let run = try shop.run("import", "items.csv", "--mapping", "map.yml")
    #expect(run.status == 0 && run.output == "created  1  Item\n", "\(run.errors)")
    #expect(run.errors.contains("'items.csv' has no column 'unit', which the mapping reads"))
  }

  @Test("Neither the model nor the store is written over by bad rows, and a mark has a name")
  func rejects() throws {
    let shop = try Shop()
    try shop.write("name,quantity,unit\nMilk,1,l\nOats,many,g\n", to: "items.csv")
    try shop.write(
      String(contentsOfFile: shop.environment["MOCLONE_MODEL"]!, encoding: .utf8), to: "model.yml")
    for file in ["g.sqlite", "map.yml", "items.csv", "model.yml"] {
      let before = try Data(contentsOf: shop.folder.appendingPathComponent(file))
      let run = try shop.run(
        "import", "items.csv", "--mapping", "map.yml", "--model", "model.yml", "--bad-rows", "skip",
        "--rejects",
        file)
      #expect(run.status != 0 && run.errors.contains("cannot be written: "), "\(run.errors)")
      #expect(try Data(contentsOf: shop.folder.appendingPathComponent(file)) == before)
    }
    #expect(try shop.run("import", "items.csv", "--mapping", "map.yml", "--once", "").status == 64)
    #expect(try shop.number("SELECT count(*) FROM item") == 0)
    let run = try shop.run("import", "items.csv", "--mapping", "map.yml", "--bad-rows", "skip")
    #expect(run.status == 0)
    let rejected = shop.folder.appendingPathComponent("items.csv.rejects")
    #expect(try String(contentsOf: rejected, encoding: .utf8).contains("Oats,many,g"))
  }

  @Test("The Groceries: a no is kept and taken back, the data is imported once, a second run does nothing")
  func groceries() throws {
    let process = Process()
    process.executableURL = project.appendingPathComponent("Examples/Groceries/run")
    let path = ProcessInfo.processInfo.environment["PATH"] ?? ""
    process.environment = ProcessInfo.processInfo.environment.merging(["PATH": programs.path + ":" + path]) {
      $1
    }
    let output = Pipe()
    (process.standardOutput, process.standardError) = (output, output)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    #expect(text.contains("Nothing was done, and 'default data' will not be asked again"), "\(text)")
    #expect(text.contains("'default data' was declined before, so nothing was done"))
    #expect(
      text.contains(
        "created  400  Item\ncreated  14  LocationAtHome\ncreated  15  LocationAtShop\ncreated  16  Unit\n"))
    #expect(text.contains("'default data' was done before, so nothing was done"))
    #expect(text.contains("unit: Unit"))
    #expect(text.contains("mine.sqlite' already exists, so nothing was done"))
    #expect(
      text.contains(
        "merged  400  Item\nmerged  786  LocationAtHome\nmerged  785  LocationAtShop\nmerged  784  Unit\n"))
    #expect(
      text.contains(
        "found  400  Item\nfound  14  LocationAtHome\nfound  15  LocationAtShop\nfound  16  Unit\n"))
    #expect(text.contains("mine.sqlite' was removed, because"))
    #expect(text.contains("does not exist, so nothing was done"))
  }

  @Test("What was not done is said to programs as well")
  func nothingDone() throws {
    let shop = try Shop()
    try shop.write("name,quantity,unit\nMilk,1,l\n", to: "items.csv")
    func once() throws -> Finished {
      try shop.run("import", "items.csv", "--mapping", "map.yml", "--once", "items", "--format", "json")
    }
    #expect(try once().output.contains(#""created":{"Item":1,"Unit":1}"#))
    let again = try once()
    #expect(again.status == 0)
    #expect(
      again.output.contains(#""operation":"import","reason":"'items' was done before, so nothing was done"#))
  }

  @Test("Counts as text and as JSON, a file by its name and standard input by --file-format")
  func formats() throws {
    let shop = try Shop()
    try shop.write("name,quantity,unit\nMilk,1,l\nRice,2,kg\n", to: "items.csv")
    let dry = try shop.run("import", "items.csv", "--mapping", "map.yml", "--dry-run")
    #expect(dry.output == "would create  2  Item\nwould create  2  Unit\n" && dry.status == 0)
    #expect(try shop.number("SELECT count(*) FROM item") == 0)
    #expect(
      try shop.run("import", "items.csv", "--mapping", "map.yml").output
        == "created  2  Item\ncreated  2  Unit\n")
    let json = try shop.run("import", "items.csv", "--mapping", "map.yml", "--format", "json").output
    #expect(json.hasPrefix("{\"dryRun\":false,\"found\":{\"Item\":2,\"Unit\":2},\"operation\":\"import\""))
    let lines = "{\"name\": \"Salt\", \"unit\": \"kg\"}\n"
    let piped = try shop.run(
      "import", "-", "--file-format", "ndjson", "--format", "json", "--mapping", "map.yml", input: lines)
    #expect(piped.output.contains("\"created\":{\"Item\":1}"))
    try shop.write(lines, to: "items.txt")
    let unknown = try shop.run("import", "items.txt", "--file-format", "ndjson", "--mapping", "map.yml")
    #expect(unknown.output.hasPrefix("found  1  Item\n"), "\(unknown.errors)")
    for format in [[], ["--format", "json"]] {
      let arguments = ["import", "-", "--mapping", "map.yml"] + format
      let nameless = try CommandTests.run(
        "moclone", arguments, input: lines, in: shop.folder, environment: shop.environment)
      #expect(nameless.status == 64 && nameless.errors.contains("pass --file-format"))
    }
    #expect(try shop.run("import", "none.csv", "--mapping", "map.yml").status == 66)
  }

  @Test("Existing objects, other identities and bad rows by options; exit status 1 where rows are refused")
  func options() throws {
    let shop = try Shop()
    try shop.write("name,quantity,unit\nMilk,1,l\nRice,many,kg\nSalt,3,kg\n", to: "items.csv")
    let stopped = try shop.run("import", "items.csv", "--mapping", "map.yml")
    #expect(stopped.status == 1 && stopped.output == "")
    #expect(
      stopped.errors
        == "moclone: items.csv:3:6: 'many' in '@quantity' is not a valid Double for 'quantity' of Item. [bad-row]\n"
    )
    #expect(try shop.number("SELECT count(*) FROM unit") == 0)
    let skipped = try shop.run("import", "items.csv", "--mapping", "map.yml", "--bad-rows", "skip")
    #expect(skipped.status == 0 && skipped.output.contains("left out  items.csv:3:6: 'many' in '@quantity'"))
    let rejects = try String(
      contentsOf: shop.folder.appendingPathComponent("items.csv.rejects"), encoding: .utf8)
    #expect(rejects.hasPrefix("name,quantity,unit,moclone_reasons\nRice,many,kg,\"'many' in '@quantity'"))
    #expect(skipped.output.hasSuffix("rejected  1 row, written to items.csv.rejects\n"))
    try shop.write(rejects.replacing("many", with: "2"), to: "items.csv.rejects")
    let fixed = try shop.run("import", "items.csv.rejects", "--mapping", "map.yml", "--format", "json")
    #expect(fixed.output.contains(#""created":{"Item":1}"#))
    try shop.write("name,quantity,unit\nMilk,7,l\n", to: "new.csv")
    let updated = try shop.run("import", "new.csv", "--mapping", "map.yml", "--existing", "update")
    #expect(updated.output.contains("updated  1  Item"))
    #expect(try shop.number("SELECT quantity FROM item WHERE name = 'Milk'") == 7)
    let unused = try shop.run("import", "new.csv", "--mapping", "map.yml", "--rejects", "x.csv")
    #expect(
      unused.status == 64 && unused.errors.contains("'--rejects' can be used with '--bad-rows skip' only"))
    let date = try shop.run("import", "new.csv", "--mapping", "map.yml", "--newest", "changed")
    #expect(date.status == 64 && date.errors.contains("No entity has a Date attribute 'changed'"))
    let other = try shop.run("import", "new.csv", "--mapping", "map.yml", "--by", "Item=nam")
    #expect(other.status == 64 && other.errors.contains("did you mean 'name'?"))
  }

  @Test("Findings in the mapping are reported like those of a model")
  func mapping() throws {
    let shop = try Shop()
    try shop.write("entity: Item\nattributes: {nam: '@name'}\n", to: "bad.yml")
    try shop.write("name\nx\n", to: "items.csv")
    let run = try shop.run("import", "items.csv", "--mapping", "bad.yml")
    #expect(run.status == 1)
    #expect(run.errors.contains("bad.yml:2:14: error: Item has no attribute 'nam'"), "\(run.errors)")
    #expect(run.errors.contains("did you mean 'name'?"))
  }

  @Test("An import that is killed leaves nothing")
  func killed() throws {
    let shop = try Shop()
    let process = Process()
    process.executableURL = programs.appendingPathComponent("moclone")
    process.arguments = ["import", "-", "--file-format", "csv", "--mapping", "map.yml"]
    process.currentDirectoryURL = shop.folder
    process.environment = ProcessInfo.processInfo.environment.merging(shop.environment) { $1 }
    let input = Pipe()
    process.standardInput = input
    process.standardError = FileHandle.nullDevice
    try process.run()
    input.fileHandleForWriting.write(Data("name,quantity,unit\n".utf8))
    let lines = (0..<200_000).map { "Item \($0),1,kg\n" }.joined()
    input.fileHandleForWriting.write(Data(lines.utf8))
    process.terminate()
    try input.fileHandleForWriting.close()
    process.waitUntilExit()
    #expect(process.terminationStatus != 0)
    #expect(try shop.number("SELECT count(*) FROM item") == 0)
    #expect(
      try shop.run(
        "import", "-", "--file-format", "csv", "--mapping", "map.yml", input: "name,quantity,unit\nA,1,kg\n"
      ).status == 0)
  }
}
