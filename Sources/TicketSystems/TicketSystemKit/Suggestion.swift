/// The candidate that somebody who wrote `word` most likely meant; `nil` when none is near.
///
/// Near is one slip in three characters: a letter too many, missing, wrong, or two swapped (Damerau-Levenshtein).
/// Case and the marks between words do not count.
package func suggestion(for word: String, among candidates: [String]) -> String? {
  let wanted = folded(word)
  guard !wanted.isEmpty, wanted.count <= 40 else { return nil }
  var best: (candidate: String, distance: Int)?
  for candidate in candidates {
    let folded = folded(candidate)
    let distance = editDistance(wanted, folded)
    guard distance <= max(1, max(wanted.count, folded.count) / 3), distance < folded.count else { continue }
    if best.map({ distance < $0.distance }) ?? true { best = (candidate, distance) }
  }
  return best?.candidate
}

private func folded(_ word: String) -> [UInt8] {
  word.lowercased().utf8.filter { $0 != UInt8(ascii: "_") && $0 != UInt8(ascii: "-") && $0 != UInt8(ascii: " ") }
}

private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  if a.isEmpty || b.isEmpty { return max(a.count, b.count) }
  var beforeLast = [Int](repeating: 0, count: b.count + 1)
  var last = [Int](0...b.count)
  for i in 1...a.count {
    var row = [i] + [Int](repeating: 0, count: b.count)
    for j in 1...b.count {
      let substitution = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)
      row[j] = min(substitution, last[j] + 1, row[j - 1] + 1)
      if i > 1, j > 1, a[i - 1] == b[j - 2], a[i - 2] == b[j - 1] { row[j] = min(row[j], beforeLast[j - 2] + 1) }
    }
    beforeLast = last
    last = row
  }
  return last[b.count]
}
