extension ModelValidator {
  public static func annotationFindings(_ model: ObjectModel, keys: AnnotationKeys) -> [Diagnostic] { [] }
}
public struct Explanation {
  public var title = ""
  public var why = ""
  public var bad: String?
  public var good: String?
}
extension DiagnosticCode { public var explanation: Explanation { Explanation() } }
