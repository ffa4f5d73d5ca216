import MOCloneModel

extension Explanation {
  /// Files that cannot be read as YAML.
  static let files: [DiagnosticCode: Explanation] = [
    .syntax: Explanation(
      "The file is not well-formed YAML.",
      why:
        "The finding names the position where reading stopped; the cause may be on the line above. Indent with spaces, "
        + "and put quotes around strings with `: `, ` #` or brackets.",
      badFile: "version: 1\nname: Notes: all of them\nentities: {}\n",
      goodFile: "version: 1\nname: \"Notes: all of them\"\nentities: {}\n"),
    .unreadableFile: Explanation(
      "The file cannot be read.",
      why:
        "It does not exist, is a folder, or may not be read. On platforms without libyaml a model is decoded "
        + "from JSON instead."),
    .fileTooLarge: Explanation(
      "The file is larger than a model can be.",
      why: "The limit is 8 MB, so that a wrong file is refused before it fills the memory."),
    .notUTF8: Explanation(
      "The file is not UTF-8.",
      why:
        "Model files are read as UTF-8 only, so that names mean the same everywhere. Save the file as UTF-8."),
    .emptyModel: Explanation(
      "The file contains no model.",
      why: "It is empty or contains only comments. A model begins with `version: 1`.",
      badFile: "# The notes, to be described.\n", goodFile: "version: 1\nname: Example\nentities: {}\n"),
    .severalDocuments: Explanation(
      "The file contains a second document.",
      why:
        "A line `---` begins another document, but a file contains one model. Move the second one to its own file.",
      badFile: "version: 1\nname: Example\nentities: {}\n" + "---\nversion: 1\nname: Second\nentities: {}\n",
      goodFile: "version: 1\nname: Example\nentities: {}\n"),
    .tooManyValues: Explanation(
      "The file contains more values than a model can have.",
      why:
        "The number of values is limited, so that a wrong file is refused early. Leave out entities that nobody clones."
    ),
    .nestedTooDeep: Explanation(
      "Maps and lists are nested too deeply.",
      why: "A model needs fewer than ten levels; the limit is 64. Probably a bracket is never closed.",
      badFile: "version: 1\nname: Example\nx-deep: " + String(repeating: "[", count: 65)
        + String(repeating: "]", count: 65) + "\nentities: {}\n",
      goodFile: "version: 1\nname: Example\nx-deep: [[1, 2], [3, 4]]\nentities: {}\n"),
    .unsupportedYAML: Explanation(
      "The file uses a feature of YAML that models do not support.",
      why:
        "Tags, aliases and merge keys hide what a value is. Repeat the "
        + "values, and let entities share properties by `parent`.",
      bad: "Note: {attributes: &common {name: String}}\nMemo: {attributes: *common}",
      good:
        "Named: {abstract: true, attributes: {name: String}}\nNote: {parent: Named}\nMemo: {parent: Named}"),
    .missingSpace: Explanation(
      "A space is missing after a colon.",
      why: "In YAML `name:String` is a single string. Write a space between a key's colon and its value.",
      bad: "Note: {attributes: {name:String}}", good: "Note: {attributes: {name: String}}"),
    .duplicateKey: Explanation(
      "A map has a duplicate key.",
      why: "One of the two values would be lost, and YAML parsers disagree about which one.",
      bad: "Note: {attributes: {name: String, name: UUID}}",
      good: "Note: {attributes: {name: String, uid: UUID}}"),
  ]

  /// Keys and values that the format does not know.
  static let format: [DiagnosticCode: Explanation] = [
    .wrongKind: Explanation(
      "A value is of the wrong kind.",
      why:
        "Entities, attributes and relationships are maps keyed by name, not lists or single values.",
      bad: "Note: {attributes: [name, text]}", good: "Note: {attributes: {name: String, text: String}}"),
    .unknownKey: Explanation(
      "A key is unknown here.",
      why:
        "A misspelt key would be ignored silently. Your own keys begin with `x-`, or belong in `userInfo`.",
      bad: "Note: {attributes: {name: {type: String, optionl: true}}}",
      good: "Note: {attributes: {name: {type: String, optional: true}}}"),
    .missingKey: Explanation(
      "A key is missing.",
      why: "A model needs `version` and `entities`, an attribute its `type`, a relationship its "
        + "`destination`.",
      bad: "Note: {attributes: {name: {optional: true}}}",
      good: "Note: {attributes: {name: {type: String, optional: true}}}"),
    .unknownValue: Explanation(
      "A value is not one of those that the key can have.",
      why:
        "Types are named as in Xcode's editor, and options as in the model format; the nearest name is suggested.",
      bad: "Note: {attributes: {count: {type: Integer}}}",
      good: "Note: {attributes: {count: {type: Integer 32}}}"),
    .unsupportedVersion: Explanation(
      "The version of the format is unknown.",
      why: "This program reads models that begin with `version: 1`. A newer one may read more.",
      badFile: "version: 2\nname: Example\nentities: {}\n",
      goodFile: "version: 1\nname: Example\nentities: {}\n"),
  ]
}
