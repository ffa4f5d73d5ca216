/// What is wrong with a model, found without any data.
public enum ModelValidator {
  /// Every finding, errors and warnings.
  public static func validate(_ model: ObjectModel) -> [Diagnostic] {
    []
  }
}
