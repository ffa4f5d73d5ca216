import Foundation
import MOCloneModel
import MOCloneYAML

extension ModelDraft {
  /// Why no command could read the model's file, which would be over a limit; nil where they can.
  ///
  /// The reader itself is asked: it counts the values of the text, where short forms have fewer than the draft, and the
  /// findings of the validation, so that no second count can differ from the one that refuses the file.
  package var excess: Diagnostic? {
    do throws(ModelError) {
      let file = try SourceFile(path: name, data: Data(yaml.utf8))
      return ModelParser.parse(file).diagnostics.first { $0.severity == .error && $0.code == .tooManyValues }
    } catch {
      return error.diagnostics.first
    }
  }
}
