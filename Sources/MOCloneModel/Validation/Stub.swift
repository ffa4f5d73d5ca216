public struct Explanation {
  public var title = ""
  public var why = ""
  public var bad: String?
  public var good: String?
}
extension DiagnosticCode { public var explanation: Explanation { Explanation() } }
