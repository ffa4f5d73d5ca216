extension ModelValidator {
  public static func annotationFindings(_ model: ObjectModel, keys: AnnotationKeys) -> [Diagnostic] { [] }
}
public func nearestName(to name: String, in names: [String]) -> String? { nil }
