import Foundation

extension ObjectModel {
  /// Reads and validates a model file in JSON, as `moclone model show --format json` writes it.
  ///
  /// `MOCloneYAML`, which `MOCloneKit` includes on Linux and macOS, reads YAML as well, with the places of findings.
  ///
  /// - Throws: `ModelError` with every finding.
  @_disfavoredOverload
  public init(contentsOf url: URL) throws(ModelError) {
    let source = try SourceFile(contentsOf: url)
    guard url.pathExtension.lowercased() == "json" else { throw ModelError(.notJSON(source.path)) }
    try self.init(json: Data(source.text.utf8), path: source.path)
  }

  /// Reads and validates a model's JSON.
  ///
  /// - Parameters:
  ///   - json: the model's JSON.
  ///   - path: the text's name in reports.
  /// - Throws: `ModelError` with every finding.
  public init(json: Data, path: String = "<text>") throws(ModelError) {
    do {
      self = try JSONDecoder().decode(ObjectModel.self, from: json)
    } catch let error as ModelError {
      throw error
    } catch {
      throw ModelError(.invalidJSON(path, error: error))
    }
  }
}

extension Diagnostic {
  fileprivate static func notJSON(_ path: String) -> Diagnostic {
    Diagnostic(
      .unreadableFile, at: .model, "'\(path)' is not a JSON file, and this program is built without YAML",
      help: "import MOCloneYAML, or convert the model: moclone model show --format json")
  }

  fileprivate static func invalidJSON(_ path: String, error: any Error) -> Diagnostic {
    let context: DecodingError.Context? =
      switch error as? DecodingError {
      case .dataCorrupted(let context)?, .keyNotFound(_, let context)?, .typeMismatch(_, let context)?,
        .valueNotFound(_, let context)?:
        context
      default: nil
      }
    let reason = (context?.underlyingError as? NSError)?.userInfo["NSDebugDescription"] as? String
    return Diagnostic(
      .syntax, at: .model,
      "'\(path)' is not valid JSON: \(reason ?? context?.debugDescription ?? "\(error)")",
      help: "check brackets, quotes and commas")
  }
}
