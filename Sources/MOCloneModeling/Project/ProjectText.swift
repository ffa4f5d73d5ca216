import MOCloneModel
import MOCloneYAML

extension ProjectSettings {
  /// The text of a `moclone.yml`.
  ///
  /// - Parameters:
  ///   - model: the path of the model file, relative to the folder of the file.
  ///   - store: that of the store.
  package static func yaml(model: String, store: String) -> String {
    "version: 1\nmodel: \(YAMLScalar.text(model))\nstore: \(YAMLScalar.text(store))\n"
  }
}
