import Foundation
import MOCloneModel
import MOCloneYAML

extension ModelDraft {
  /// Why no command could read the model's file, which would be over a limit; nil where they can.
  package var excess: Diagnostic? {
    do throws(ModelError) {
      let file = try SourceFile(path: name, data: Data(yaml.utf8))
      return ModelParser.parse(file).diagnostics.first { $0.severity == .error && $0.code == .tooManyValues }
    } catch {
      return error.diagnostics.first
    }
  }
}
