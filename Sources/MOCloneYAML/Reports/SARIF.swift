import Foundation
import MOCloneModel

/// The part of SARIF's object model that findings need, with its names.
struct SARIF: Encodable {
  var schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
  var version = "2.1.0"
  var runs: [Run]

  enum CodingKeys: String, CodingKey {
    case schema = "$schema"
    case version, runs
  }

  /// The name of the folder that paths are relative to, as code scanning services expect it.
  static let root = "%SRCROOT%"

  struct Run: Encodable {
    var tool: [String: Driver]
    var columnKind = "unicodeCodePoints"
    /// The folder itself is not named: it is another one on every machine.
    var originalUriBaseIds = [SARIF.root: Folder()]
    var invocations: [Invocation]
    var results: [Result]

    init(_ driver: Driver, results: [Result], isComplete: Bool) {
      tool = ["driver": driver]
      invocations = [Invocation(executionSuccessful: isComplete)]
      self.results = results
    }
  }

  struct Folder: Encodable {
    var description = Message("the folder that moclone ran in, or the workspace of the workflow")
  }

  struct Invocation: Encodable {
    var executionSuccessful: Bool
  }

  struct Message: Encodable, Hashable {
    var text: String
    var markdown: String?

    init(_ text: String, markdown: String? = nil) {
      self.text = text
      self.markdown = markdown
    }
  }

  // MARK: Places

  struct ArtifactLocation: Encodable, Hashable {
    var uri: String
    var uriBaseId: String?

    /// A URI with a scheme where the file lies elsewhere, for a relative one must not lead up.
    init(_ path: RelativePath) {
      uri = path.isInside ? Self.encoded(path.text) : Self.elsewhere(path)
      uriBaseId = path.isInside ? SARIF.root : nil
    }

    private static func elsewhere(_ path: RelativePath) -> String {
      path.absolute.map { "file://" + encoded($0) } ?? encoded(path.text)
    }

    private static func encoded(_ path: String) -> String {
      path.addingPercentEncoding(withAllowedCharacters: unreserved) ?? path
    }

    private static let unreserved = CharacterSet(
      charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/")
  }

  struct Region: Encodable, Hashable {
    var startLine, startColumn, endLine, endColumn: Int

    init(_ range: SourceRange) {
      (startLine, startColumn) = (range.start.line, range.start.column)
      (endLine, endColumn) = (range.end.line, range.end.column)
    }
  }

  struct PhysicalLocation: Encodable, Hashable {
    var artifactLocation: ArtifactLocation
    var region: Region?
  }

  struct LogicalLocation: Encodable, Hashable {
    var fullyQualifiedName: String
  }

  struct Location: Encodable, Hashable {
    var physicalLocation: PhysicalLocation
    var logicalLocations: [LogicalLocation]?
    var message: Message?

    init(_ file: ArtifactLocation, range: SourceRange?, path: ModelPath, message: String? = nil) {
      physicalLocation = PhysicalLocation(artifactLocation: file, region: range.map(Region.init))
      logicalLocations = path.components.isEmpty ? nil : [LogicalLocation(fullyQualifiedName: path.name)]
      self.message = message.map { Message($0) }
    }
  }
}
