/// The texts of archived NSExpressions and NSPredicates, as far as models hold them: key paths, constants, functions, and
/// comparisons of a value or its length with a constant.
enum ArchivedExpression {
  /// Expressions of a model are a few levels deep; an archive may hold cycles.
  private static let greatestDepth = 16

  static func text(_ node: KeyedArchive.Node) -> String? { text(node, depth: 0) }

  private static func text(_ node: KeyedArchive.Node, depth: Int) -> String? {
    guard depth < greatestDepth else { return nil }
    if let path = node["NSKeyPath"]?.string { return path }
    if let variable = node["NSVariable"]?.string { return "$" + variable }
    if let constant = node["NSConstantValue"] { return constant.literal }
    if node["NSExpressionType"]?.integer == 1 { return "SELF" }
    guard let selector = node["NSSelectorName"]?.string else { return node.string }
    let arguments = (node["NSArguments"]?.list ?? []).map { text($0, depth: depth + 1) }
    if selector.hasPrefix("valueForKey"), let path = arguments.first.flatMap({ $0 }) {
      return path.trimmingPrefix("\"").trimmingSuffix("\"")
    }
    guard arguments.allSatisfy({ $0 != nil }) else { return nil }
    return "\(selector)(\(arguments.compactMap { $0 }.joined(separator: ", ")))"
  }

  /// The attribute of the XML that a predicate was made of, and the constant in it.
  static func limit(_ predicate: KeyedArchive.Node) -> (name: String, limit: KeyedArchive.Node)? {
    guard let limit = predicate["NSRightExpression"]?["NSConstantValue"],
      let comparison = predicate["NSPredicateOperator"]?["NSOperatorType"]?.integer
    else { return nil }
    switch comparison {
    case 1: return ("maxValueString", limit)
    case 3: return ("minValueString", limit)
    case 6: return ("regularExpressionString", limit)
    default: return nil
    }
  }

  /// `left == right`; nil for what is more than one comparison.
  static func predicate(_ node: KeyedArchive.Node) -> String? {
    let signs = ["<", "<=", ">", ">=", "==", "!=", "MATCHES", "LIKE", "BEGINSWITH", "ENDSWITH", "IN"]
    guard let left = node["NSLeftExpression"].flatMap({ text($0) }),
      let right = node["NSRightExpression"].flatMap({ text($0) }),
      let number = node["NSPredicateOperator"]?["NSOperatorType"]?.integer,
      signs.indices.contains(Int(clamping: number))
    else { return nil }
    return "\(left) \(signs[Int(number)]) \(right)"
  }
}

extension KeyedArchive.Node {
  /// A constant as a predicate writes it.
  fileprivate var literal: String? {
    string.map { "\"\($0)\"" } ?? integer.map { String($0) } ?? real.map { "\($0)" }
  }
}

extension StringProtocol {
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : String(self)
  }
}
