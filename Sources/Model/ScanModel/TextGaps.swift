/// Texts with gaps, which are written `{0}`, `{1}`.
package enum TextGaps {
  /// A text with its gaps filled. What it is filled with is not looked at for gaps; one for which there is nothing stays.
  package static func fill(_ text: String, _ values: [String]) -> String {
    var filled = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{") {
      filled += rest[..<open]
      let after = rest[rest.index(after: open)...]
      guard let close = after.firstIndex(of: "}"), let number = Int(after[..<close]), values.indices.contains(number)
      else {
        filled += "{"
        rest = after
        continue
      }
      filled += values[number]
      rest = after[after.index(after: close)...]
    }
    return filled + rest
  }
}
