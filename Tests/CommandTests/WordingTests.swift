import Foundation
import GRDB
import Testing

@Suite("Messages are sentences: what happened, where, what to do")
struct WordingTests {
  private static let shop = """
    version: 1
    name: Shop
    entities:
      Transfer:
        relationships:
          postings: {destination: Posting, toMany: true, inverse: transfer}
      Account:
        relationships:
          postings: {destination: Posting, toMany: true, inverse: account}
      Posting:
        relationships:
          transfer: {destination: Transfer, inverse: postings}
          account: {destination: Account, inverse: postings, userInfo: {exclude: ""}}
      Product:
        attributes: {sku: String}
        relationships:
          variants: {destination: Variant, toMany: true, inverse: product}
      Variant:
        attributes: {code: {type: String, userInfo: {followParent: skuCode, withoutParent: keep}}}
        relationships:
          product: {destination: Product, inverse: variants}

    """

  @Test(
    "Findings say what a clone would do, and what may be meant",
    arguments: [
      "13:78: error: Cloning a Transfer would create postings without an account.",
      "19:64: error: No ancestor of Variant has an attribute 'skuCode'; did you mean 'sku' of Product?",
    ])
  func findings(_ expected: String) throws {
    let run = try moclone("validate", "-", input: Self.shop)
    #expect(run.output.contains("<stdin>:" + expected), "\(run.output)")
  }

  @Test(
    "Wrong calls and refusals say what to do",
    arguments: [
      (
        ["clone", "store", "1"],
        "The model has no entity 'store'. To run the command 'store', type `moclone store`."
      ),
      (["validate", "--fix", "-"], "--fix cannot be used with standard input."),
      (["store", "reset"], "Not a terminal, so nothing can be asked; pass --yes to confirm."),
      (
        ["note", "42", "--set", "createDate=now"],
        "'now' is not a valid Date for 'createDate' of Note; expected a date such as 2025-01-31T12:34:56.789Z."
      ),
      (["store", "metadata", "get", "version"], "The store's metadata has no key 'version'."),
    ])
  func refusals(_ arguments: [String], _ expected: String) throws {
    let space = try Workspace()
    let run = try run("moclone", arguments, in: space.folder)
    #expect(run.status != 0 && run.errors.hasPrefix("moclone: \(expected)"), "\(run.errors)")
  }

  @Test("A file that is too large is named, with the limit")
  func largeFile() throws {
    let space = try Workspace()
    try Data(repeating: UInt8(ascii: "a"), count: (8 << 20) + 1)
      .write(to: space.folder.appendingPathComponent("large.yml"))
    let run = try moclone("note", "42", "--model", "large.yml", in: space.folder)
    #expect(run.errors.hasPrefix("large.yml: error: The file is larger than the limit of 8 MB."))
  }

  @Test("A missing index and a missing row are named with their tables")
  func stores() throws {
    let space = try Workspace()
    var configuration = Configuration()
    configuration.foreignKeysEnabled = false
    try DatabaseQueue(path: space.store, configuration: configuration).write {
      try $0.execute(
        sql: "DROP INDEX item_on_note_id; INSERT INTO item(pk, name, note_id) VALUES (99, 'x', 98)")
    }
    let run = try moclone("validate", "--store", space.store, in: space.folder)
    #expect(run.output.contains("1 row of 'item' references a missing 'note'."), "\(run.output)")
    #expect(run.output.contains("Following 'Note.items' scans 'item'; add an index."), "\(run.output)")
  }
}
