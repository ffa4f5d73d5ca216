/// The name that a misspelt one was probably meant to be.
///
/// Compares without case and counts insertions, deletions, substitutions and swaps of neighbours; a name farther
/// away than a third of its length (at least one edit) is a suggestion only where one name has all words of the other, as
/// `sku` and `skuCode`.
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
  return best?.name ?? nameWithSameWords(as: name, in: names)
}

/// The name that shares most words with one of them, where all of the shorter name's words are in the longer one.
private func nameWithSameWords(as name: String, in names: some Sequence<String>) -> String? {
  let wanted = words(of: name)
  var best: (name: String, others: Int)?
  for candidate in names where candidate != name {
    let words = words(of: candidate)
    guard words.isSubset(of: wanted) || wanted.isSubset(of: words) else { continue }
    let others = words.symmetricDifference(wanted).count
    if others < best?.others ?? 3 { best = (candidate, others) }
  }
  return best?.name
}

/// The words of three letters or more: `skuCode` and `sku_code` have two.
private func words(of name: String) -> Set<String> {
  var words: [String] = [""]
  var isLower = false
  for character in name {
    if !character.isLetter && !character.isNumber || character.isUppercase && isLower { words.append("") }
    isLower = character.isLowercase
    if character.isLetter || character.isNumber { words[words.count - 1] += character.lowercased() }
  }
  let long = words.filter { $0.count >= 3 }
  return long.isEmpty ? [name.lowercased()] : Set(long)
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
