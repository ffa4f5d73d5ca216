import Foundation
import MOCloneKit

/// Reads one file of a project and checks it as what it is: a model, the settings, or the mapping of an import.
struct FileReader {
  private let path: String
  private let isNamed: Bool
  private let project: ProjectOptions

  /// - Parameter isNamed: whether somebody named the file; else one of another program is none of our business.
  init(_ path: String, isNamed: Bool, project: ProjectOptions) {
    self.path = path == "-" ? path : WorkingFolder.shown(path)
    self.isNamed = isNamed
    self.project = project
  }

  /// The findings in the file; one that cannot be read is a finding like others, so that the rest is still checked.
  ///
  /// - Parameter more: further findings about a model.
  /// - Returns: nil where there is nothing to check.
  func report(more: (ParsedModel) -> [Diagnostic]) -> FileReport? {
    let file: ModelFile
    do throws(ModelError) {
      file = path == "-" ? ModelFile(try SourceFile(reading: .standardInput)) : try ModelFile(path)
    } catch {
      let name = path == "-" ? SourceFile.standardInput : path
      return FileReport(path: name, source: nil, findings: error.diagnostics)
    }
    if file.isXcode { return FileReport(file, more: more) }
    let source = file.source
    switch FileKind(of: source) {
    case .settings: return ProjectSettings.read(url, path: path).report
    case .mapping: return FileReport(path: path, source: source, findings: mappingFindings(source))
    case .model: return FileReport(source, more: more)
    case .other where isNamed: return FileReport(source, more: more)
    case .other:
      Console.detail("'\(path)' is not a model, so it is not checked")
      return nil
    }
  }

  private var url: URL { URL(fileURLWithPath: path) }

  /// The mapping by itself, and beside the project's model where that can be read.
  private func mappingFindings(_ source: SourceFile) -> [Diagnostic] {
    do throws(ModelError) {
      let mapping = try ImportMapping(source)
      if let model = try? project.loadModelIfNamed() { try mapping.check(against: model) }
      return []
    } catch {
      return error.diagnostics
    }
  }
}
