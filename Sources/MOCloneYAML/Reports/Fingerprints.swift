import MOCloneModel

/// Names findings by what they are about, never by their lines, so that a service knows them again.
struct Fingerprints {
  private var seen: [String: Int] = [:]

  /// - Parameter file: the file as the report names it.
  mutating func next(_ finding: Diagnostic, file: String) -> String {
    let name = [finding.code.rawValue, file, finding.path.components.joined(separator: "/")]
      .joined(separator: ":")
    seen[name, default: 0] += 1
    return "\(name):\(seen[name]!)"
  }
}
