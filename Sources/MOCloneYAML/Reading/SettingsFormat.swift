import MOCloneModel

// The keys of moclone.yml.
extension FormatMap {
  static let settings = FormatMap(
    "settings",
    summary: "moclone.yml: where a project keeps its model and its store, and how severe its findings are.",
    keys: [
      FormatKey("version", value: .version, summary: "The version of the format: 1.", isRequired: true),
      FormatKey("model", value: .string, summary: "The model file, relative to the folder of this file."),
      FormatKey(
        "store", value: .string, summary: "The SQLite database, relative to the folder of this file."),
      FormatKey(
        "include", value: .strings,
        summary:
          "Further model files that `moclone validate` checks: patterns such as 'Models/**/*.yml', relative to the folder of this file."
      ),
      FormatKey(
        "exclude", value: .strings,
        summary:
          "Files and folders that `moclone validate` leaves out where it searches; patterns, relative to the folder of this file."
      ),
      FormatKey(
        "severities", value: .map(.severities),
        summary: "The severities of findings; codes that are not named keep their severity."),
    ])

  static let severities = FormatMap(
    "severities", summary: "The severities of findings by their codes, as `moclone explain` lists them.",
    keys: DiagnosticCode.allCases.map { code in
      // Where a file is not understood nothing else is found, so that nothing may turn this off.
      let value = code.category == .file ? FormatValue.choice(["error"]) : .choice(of: SeveritySetting.self)
      return FormatKey(code.rawValue, value: value, summary: code.explanation.title)
    })
}
