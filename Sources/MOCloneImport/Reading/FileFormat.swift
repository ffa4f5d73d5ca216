import MOCloneEngine
import MOCloneModel

/// The format of a file to import.
public enum FileFormat: String, Sendable, Hashable, CaseIterable {
  case csv, tsv, ndjson, json, xml

  /// The format that a file's name ends with; nil where it says nothing.
  public init?(path: String) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    guard let ending = name.split(separator: ".").dropFirst().last?.lowercased() else { return nil }
    if ending == "jsonl" { self = .ndjson } else { self.init(rawValue: ending) }
  }
}
