import MOCloneModel

extension Diagnostic {
  /// The finding with its help in the words of Xcode's model editor, where no YAML can be written.
  var inWordsOfXcode: Diagnostic {
    var finding = self
    finding.help = help?.inWordsOfXcode
    return finding
  }
}

extension String {
  /// What the keys of a model file are called in the inspectors of Xcode.
  private static let inspectors = [
    "inverse": "Inverse", "destination": "Destination", "deleteRule": "Delete Rule", "type": "Type",
    "default": "Default Value", "parent": "Parent Entity", "minCount": "Minimum", "maxCount": "Maximum",
    "min": "Minimum", "max": "Maximum", "pattern": "Reg. Ex.", "toMany": "Type",
  ]

  /// `add 'userInfo: {exclude: ""}' to 'Note.items'` as `add the user info key 'exclude' to 'Note.items'`.
  fileprivate var inWordsOfXcode: String {
    replacing(/'(?<before>[^'{]*)userInfo: \{(?<keys>[^}']*)\}'/) { match in
      let keys = match.keys.split(separator: ", ").map { Self.userInfoKey(String($0)) }
      let plain = match.before.split(separator: ", ").map { Self.setting(String($0)) }
      return (plain + keys).joined(separator: " and ")
    }
    .replacing(/'(?<setting>\w+: [^']+)'/) { Self.setting(String($0.setting)) }
  }

  /// `inverse: note` as it is set in an inspector; what no inspector has is a key of the user info.
  private static func setting(_ text: String) -> String {
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    switch (parts[0], parts.last ?? "") {
    case ("optional", let value):
      return value == "true" ? "a check mark at 'Optional'" : "no check mark at 'Optional'"
    case ("toMany", let value): return "the type '\(value == "true" ? "To Many" : "To One")'"
    case (let key, let value):
      return inspectors[key].map { "'\(value)' as the \($0)" } ?? userInfoKey(text)
    }
  }

  private static func userInfoKey(_ text: String) -> String {
    let parts = text.split(separator: ": ", maxSplits: 1).map(String.init)
    let value = parts.count > 1 && parts[1] != "\"\"" ? " with the value '\(parts[1])'" : ""
    return "the user info key '\(parts[0])'\(value)"
  }
}
