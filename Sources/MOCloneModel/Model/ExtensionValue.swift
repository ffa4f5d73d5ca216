/// A value of a key of one's own, which begins with `x-`: kept with the model, and read by no operation.
///
/// Scalars are strings as they are written, whatever they look like.
public indirect enum ExtensionValue: Sendable, Hashable {
  /// A scalar.
  case text(String)
  /// A list of values.
  case list([ExtensionValue])
  /// A map of values.
  case map([String: ExtensionValue])
}

extension ExtensionValue {
  /// What a node of a model file holds; nil where it was refused.
  package init?(_ node: SyntaxNode) {
    switch node.content {
    case .scalar(let text, _): self = .text(text)
    case .sequence(let items): self = .list(items.compactMap(ExtensionValue.init))
    case .mapping(let entries): self = .map(Self.values(of: entries))
    case .refused: return nil
    }
  }

  /// The values of some keys; the last of two equal keys counts.
  package static func values(of entries: some Sequence<SyntaxNode.Entry>) -> [String: ExtensionValue] {
    Dictionary(
      entries.compactMap { entry in ExtensionValue(entry.value).map { (entry.key, $0) } },
      uniquingKeysWith: { $1 })
  }
}
