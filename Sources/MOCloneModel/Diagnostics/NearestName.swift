/// The name that a misspelt one was probably meant to be.
///
/// Compares without case and counts insertions, deletions, substitutions and swaps of neighbours; a name farther
/// away than a third of its length (at least one edit) is no suggestion.
package func nearestName(to name: String, in names: some Sequence<String>) -> String? {
  let wanted = Array(name.lowercased().unicodeScalars)
  guard !wanted.isEmpty, wanted.count <= 64 else { return nil }
  var best: (name: String, distance: Int)?
  for candidate in names where candidate != name {
    let letters = Array(candidate.lowercased().unicodeScalars)
    let limit = best.map { $0.distance - 1 } ?? max(1, max(wanted.count, letters.count) / 3)
    guard letters.count <= 64, let distance = editDistance(wanted, letters, limit: limit) else { continue }
    best = (candidate, distance)
    if distance == 0 { break }
  }
  return best?.name
}

/// The number of edits between two strings (optimal string alignment), or nil where it is above the limit.
package func editDistance(_ a: [Unicode.Scalar], _ b: [Unicode.Scalar], limit: Int) -> Int? {
  guard abs(a.count - b.count) <= limit else { return nil }
  var beforeLast: [Int] = []
  var last = Array(0...b.count)
  for i in a.indices {
    var row = [i + 1]
    for j in b.indices {
      let substitution = last[j] + (a[i] == b[j] ? 0 : 1)
      var edits = min(substitution, last[j + 1] + 1, row[j] + 1)
      if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { edits = min(edits, beforeLast[j - 1] + 1) }
      row.append(edits)
    }
    (beforeLast, last) = (last, row)
    if row.allSatisfy({ $0 > limit }) { return nil }
  }
  return last[b.count] <= limit ? last[b.count] : nil
}
