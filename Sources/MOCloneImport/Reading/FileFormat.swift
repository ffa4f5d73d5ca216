import MOCloneEngine
import MOCloneModel

/// The format of a file to import.
public enum FileFormat: String, Sendable, Hashable, CaseIterable {
  /// Comma-separated values with a header; another delimiter may be named by the mapping.
  case csv
  /// Tab-separated values with a header.
  case tsv
  /// One row of JSON on each line; files that end in `.jsonl` too.
  case ndjson
  /// One JSON document, in which a path may lead to the rows.
  case json
  /// XML, in which the elements at a path are the rows; it needs libxml2.
  case xml

  /// What the name of a file of rejected rows ends with, behind that of its file.
  public static let rejects = ".rejects"

  /// The format that a file's name ends with; nil where it says nothing. Rejected rows are of their file's format.
  public init?(path: String) {
    var name = path.split(separator: "/").last.map(String.init) ?? path
    while name.lowercased().hasSuffix(Self.rejects) { name.removeLast(Self.rejects.count) }
    guard let ending = name.split(separator: ".").dropFirst().last?.lowercased() else { return nil }
    if ending == "jsonl" { self = .ndjson } else { self.init(rawValue: ending) }
  }
}
