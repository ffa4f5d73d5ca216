import Foundation
import MOCloneEngine
import MOCloneModel
import MOCloneYAML

/// A model file of any kind, as text: YAML, JSON, or the XML of an Xcode model.
package struct ModelFile {
  /// The text; of an Xcode model that of its file `contents`.
  package let source: SourceFile
  /// What an Xcode model is called; nil for other files.
  private let xcodeName: String?

  /// Reads a file, or the current version of an `.xcdatamodeld`.
  ///
  /// - Throws: `ModelError` where it cannot be read.
  package init(_ path: String) throws(ModelError) {
    do {
      try self.init(path, files: DiskFiles())
    } catch let error as ModelError {
      throw error
    } catch let error as CloneError {
      throw ModelError(
        diagnostics: error.failures.map { Diagnostic($0.code, .error, at: .model, $0.problem, help: $0.help) }
      )
    } catch {
      throw ModelError(.unreadableFile(path))
    }
  }

  /// Reads a file where it is, such as in a commit.
  package init(_ path: String, files: any XcodeFiles) throws {
    let bundle = try XcodeBundle(path, files: files)
    let source = try bundle.source()
    self.init(source, xcodeName: XcodeBundle.isNamed(path) || source.isXML ? bundle.name : nil)
  }

  /// A text that was read already, such as that of standard input.
  package init(_ source: SourceFile) {
    self.init(source, xcodeName: source.isXML ? "" : nil)
  }

  private init(_ source: SourceFile, xcodeName: String?) {
    self.source = source
    self.xcodeName = xcodeName
  }

  /// Whether Xcode writes the file, so that comments in it do not last.
  package var isXcode: Bool { xcodeName != nil }

  /// Reads and validates the model.
  package func parsed() -> ParsedModel {
    xcodeName.map { XcodeModel.parse(source, name: $0) } ?? ModelParser.parse(source)
  }
}

extension ObjectModel {
  /// Reads and validates a model file of any kind.
  ///
  /// - Throws: `ModelError` with every finding, where at least one is an error.
  package init(file path: String) throws(ModelError) {
    let file = try ModelFile(path)
    guard file.isXcode else {
      try self.init(contentsOf: URL(fileURLWithPath: path), path: path)
      return
    }
    let parsed = file.parsed()
    guard let model = parsed.model else {
      throw ModelError(diagnostics: parsed.diagnostics, source: file.source)
    }
    self = model
  }
}

extension FileReport {
  /// Reads and validates a model file of any kind.
  ///
  /// - Parameter more: further findings about the model, such as a database gives.
  package init(_ file: ModelFile, more: (ParsedModel) -> [Diagnostic] = { _ in [] }) {
    self.init(file.source, parsed: file.parsed(), hasComments: !file.isXcode, more: more)
    if file.isXcode { change { $0.map(\.inWordsOfXcode) } }
  }
}
