import Foundation
import Testing

@Suite("Completions of the shell")
struct CompletionTests {
  /// What bash proposes at the end of a line.
  private func proposals(_ line: String, in space: Workspace) throws -> [String] {
    let script = """
      source <(moclone --generate-completion-script bash)
      COMP_LINE="$1"; COMP_POINT=${#1}
      read -ra COMP_WORDS <<< "$1"
      [[ "$1" == *' ' ]] && COMP_WORDS+=('')
      COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
      _moclone moclone "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
      printf '%s\\n' "${COMPREPLY[@]}"
      """
    let path = "\(programs.path):\(ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin")"
    let run = try run(
      "bash", ["-c", script, "bash", line], in: space.folder, environment: ["PATH": path], path: "/bin")
    #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
    return run.output.split(separator: "\n").map(String.init)
  }

  @Test(
    "bash completes commands, entities, options, relationships and codes, in the short form too",
    arguments: [
      ("moclone pl", ["plan"]),
      ("moclone no", ["note", "notedescription"]),
      ("moclone plan Not", ["Note", "NoteDescription"]),
      ("moclone note 42 --ex", ["--exclude"]),
      ("moclone clone note 42 --exclude m", ["memos"]),
      ("moclone note 42 --exclude m", ["memos"]),
      ("moclone note 42 --exclude create", ["createDate"]),
      ("moclone sync x.csv --entity mem", ["memo"]),
      ("moclone note 42 --color ", ["auto", "always", "never"]),
      ("moclone explain required-r", ["required-relationship-excluded"]),
      ("moclone store metadata g", ["get"]),
    ])
  func bash(_ line: String, _ expected: [String]) throws {
    #expect(try proposals(line, in: Workspace()) == expected)
  }

  @Test("Options that take a file complete files, models only YAML and JSON")
  func files() throws {
    let space = try Workspace()
    #expect(try proposals("moclone note 42 --store not", in: space) == ["notes.sqlite"])
    #expect(try proposals("moclone validate ", in: space) == ["moclone.yml"])
  }

  @Test("Without a model a completion proposes commands only")
  func withoutModel() throws {
    let space = try Workspace()
    try FileManager.default.removeItem(at: space.folder.appendingPathComponent("moclone.yml"))
    #expect(try proposals("moclone no", in: space).isEmpty)
    #expect(try proposals("moclone dedu", in: space) == ["dedupe"])
  }

  @Test("Every shell's script knows the short form", arguments: ["bash", "zsh", "fish"])
  func scripts(_ shell: String) throws {
    let run = try moclone("--generate-completion-script", shell)
    #expect(run.status == 0)
    #expect(run.output.contains("# The short form: what is no command is an entity of clone."))
    #expect(try moclone("--generate-completion-script=\(shell)").output == run.output)
  }
}
