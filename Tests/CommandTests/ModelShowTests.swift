import Foundation
import TestSupport
import Testing

@Suite("A model in the terminal")
struct ModelShowTests {
  @Test func theExampleModelIsATable() throws {
    let run = try moclone(
      "model", "show", "--model", project.appendingPathComponent("Models/HealthNotes.yml").path)
    #expect(
      run.output == """
        HealthNotes  6 entities, naming snakeCase, dates iso8601, UUIDs text

        Note  table note, key pk
          id               UUID                  uuid                      unique, @rebuild: uuid
          name             String                name
          createDate       Date                  create_date               @rebuild: now
          data             Binary?               data
          index            Integer 32            index                     default 0, @exclude
          isSelected       Boolean?              -                         transient
          items            many Item             item.note_id              inverse note, delete: cascade
          memos            ordered many Memo     memo.note_id              inverse note
          noteDescription  one NoteDescription?  note_description.note_id  inverse note, delete: cascade

        Item  table item, key pk
          name      String         name
          quantity  Double         quantity           default 1.0
          noteID    UUID?          note_uuid          @followParent: id, @withoutParent: keep
          noteName  String?        note_name          @followParent: Note.name, @withoutParent: blank
          note      one Note?      note_id            inverse items
          datas     many ItemData  item_data.item_id  inverse item, delete: cascade

        ItemData  table item_data, key pk
          createDate  Date      create_date  @rebuild: now
          value       Double    value        default 0.0
          text        String?   text
          item        one Item  item_id      inverse datas

        NoteDescription  table note_description, key pk
          content  String?   content
          note     one Note  note_id  inverse noteDescription

        Memo  table memo, key pk
          text  String?    text
          note  one Note?  note_id                    inverse memos
          tags  many Tag   memo_tag(memo_id, tag_id)  inverse memos

        Tag  table tag, key pk
          name   String     name                       unique
          memos  many Memo  memo_tag(tag_id, memo_id)  inverse tags

        """)
  }

  @Test(arguments: ["HealthNotes", "Chinook", "Northwind"])
  func everyLineFitsAHundredColumns(name: String) throws {
    let run = try moclone(
      "model", "show", "--model", project.appendingPathComponent("Models/\(name).yml").path)
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 && $0.last != " " })
  }

  @Test func longAndHostileNamesFitAndDoNothingToTheTerminal() throws {
    let folder = try TemporaryFolder()
    let long = String(repeating: "long", count: 40)
    let model = """
      version: 1
      name: "\(long)"
      entities:
        "Esc\\e[31m":
          table: "\(long)"
          attributes:
            \(long): {type: String, optional: true, userInfo: {exclude: "", note: "\(long) \(long)"}}
          relationships:
            others: {destination: "Esc\\e[31m", toMany: true, userInfo: {onClone: link}}
          uniquenessConstraints: [[\(long), \(long)]]
      """
    try folder.write(model.utf8, to: "model.yml")
    let run = try moclone("model", "show", "--model", "model.yml", in: folder.url)
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.split(separator: "\n").allSatisfy { $0.count <= 100 }, "\(run.output)")
    #expect(!run.output.contains("\u{1B}"))
    #expect(run.output.contains("@exclude"))
    #expect(run.output.contains("@onClone: link"))
    #expect(run.output.filter { $0 != " " && $0 != "\n" }.contains(String(repeating: "long", count: 10)))
  }

  @Test func annotationsAreInColourWhereItIsAskedFor() throws {
    let path = project.appendingPathComponent("Models/HealthNotes.yml").path
    let run = try moclone("model", "show", "--model", path, "--color", "always")
    #expect(run.output.contains("\u{1B}[35m@rebuild: uuid\u{1B}[0m"))
    #expect(run.output.contains("\u{1B}[1mNote\u{1B}[0m"))
    let plain = try moclone("model", "show", "--model", path, "--color", "never").output
    #expect(run.output.replacing(#/\u{1B}\[[0-9]+m/#, with: "") == plain)
  }
}
