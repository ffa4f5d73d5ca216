/// A word as a shell reads it back.
package struct ShellWord {
  package let text: String

  package init(_ word: String) {
    let isPlain = !word.isEmpty && word.wholeMatch(of: #/[\p{L}\p{N}_.,:\/@%+-]+/#) != nil
    text = isPlain ? word : "'" + word.replacing("'", with: "'\\''") + "'"
  }
}
