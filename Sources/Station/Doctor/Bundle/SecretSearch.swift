/// Finds secrets in text, in whichever form they are written, in capital and small letters. Pure.
///
/// By hashes that roll over the text, once for each length that a form has: thousands of codes cost what a few do.
struct SecretSearch: Sendable {
  /// Where a secret stands.
  struct Match: Equatable {
    var range: Range<Int>
    var kind: KnownSecret.Kind
  }

  /// The forms of one length.
  private struct Forms {
    /// By hash.
    var forms: [UInt64: [(bytes: [UInt8], kind: KnownSecret.Kind)]] = [:]
    /// What the first byte of a window counts for in its hash.
    var weight: UInt64 = 1
    /// Which hashes there may be, by their lowest bits: most windows end here.
    var filter = [Bool](repeating: false, count: Self.filterSize)

    static let filterSize = 1 << 16
  }

  private static let base: UInt64 = 0x100_0000_01B3
  /// Shorter forms count only where they are a word: `Li` is not in `List`.
  private static let word = 6

  private let byLength: [Int: Forms]

  init(_ secrets: [KnownSecret]) {
    var byLength: [Int: Forms] = [:]
    for secret in Set(secrets) {
      for form in secret.forms {
        let small = form.map(Self.small)
        var forms = byLength[small.count] ?? Forms()
        if byLength[small.count] == nil { for _ in 1..<max(1, small.count) { forms.weight &*= Self.base } }
        let hash = Self.hash(small[...])
        forms.forms[hash, default: []].append((small, secret.kind))
        forms.filter[Int(hash >> 48) & (Forms.filterSize - 1)] = true
        byLength[small.count] = forms
      }
    }
    self.byLength = byLength
  }

  /// Where secrets stand, percent-encoded or not; those that overlap are told as one.
  func matches(in text: [UInt8]) -> [Match] {
    var found = plainMatches(in: text)
    if let (decoded, origins) = Self.decoded(text) {
      found += plainMatches(in: decoded).map { match in
        Match(range: origins[match.range.lowerBound]..<origins[match.range.upperBound], kind: match.kind)
      }
    }
    var joined: [Match] = []
    for match in found.sorted(by: { $0.range.lowerBound < $1.range.lowerBound }) {
      if let last = joined.last, match.range.lowerBound < last.range.upperBound {
        joined[joined.count - 1].range = last.range.lowerBound..<max(last.range.upperBound, match.range.upperBound)
      } else {
        joined.append(match)
      }
    }
    return joined
  }

  private func plainMatches(in text: [UInt8]) -> [Match] {
    let small = text.map(Self.small)
    var found: [Match] = []
    for (length, forms) in byLength where length <= small.count {
      var hash = Self.hash(small[..<length])
      var start = 0
      while true {
        if forms.filter[Int(hash >> 48) & (Forms.filterSize - 1)], let candidates = forms.forms[hash] {
          let window = small[start..<start + length]
          if let form = candidates.first(where: { $0.bytes.elementsEqual(window) }),
            length >= Self.word || Self.isWord(small, start..<start + length)
          {
            found.append(Match(range: start..<start + length, kind: form.kind))
          }
        }
        guard start + length < small.count else { break }
        hash = (hash &- UInt64(small[start]) &* forms.weight) &* Self.base &+ UInt64(small[start + length])
        start += 1
      }
    }
    return found
  }

  /// The text with each `%XX` as the byte that it stands for, and where each byte of that begins, with the text's end behind them; `nil`
  /// where there is none.
  private static func decoded(_ text: [UInt8]) -> (bytes: [UInt8], origins: [Int])? {
    guard text.contains(UInt8(ascii: "%")) else { return nil }
    func digit(_ index: Int) -> UInt8? {
      guard index < text.count else { return nil }
      return Character(Unicode.Scalar(text[index])).hexDigitValue.map { UInt8($0) }
    }
    var (bytes, origins): ([UInt8], [Int]) = ([], [])
    var index = 0
    while index < text.count {
      origins.append(index)
      if text[index] == UInt8(ascii: "%"), let high = digit(index + 1), let low = digit(index + 2) {
        bytes.append(high << 4 | low)
        index += 3
      } else {
        bytes.append(text[index])
        index += 1
      }
    }
    return (bytes, origins + [text.count])
  }

  /// The text with a mark in the place of each secret.
  func removed(from text: [UInt8]) -> [UInt8] {
    var (result, end): ([UInt8], Int) = ([], 0)
    for match in matches(in: text) {
      result += text[end..<match.range.lowerBound]
      result += Self.mark.utf8
      end = match.range.upperBound
    }
    return result + text[end...]
  }

  /// Stands where a secret stood. No letters, so that no secret is in it.
  static let mark = "[···]"

  private static func hash(_ bytes: ArraySlice<UInt8>) -> UInt64 {
    bytes.reduce(0) { ($0 &* base) &+ UInt64($1) }
  }

  private static func small(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }

  private static func isWord(_ text: [UInt8], _ range: Range<Int>) -> Bool {
    func isPart(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x61...0x7A).contains(byte) || byte >= 0x80
    }
    let before = range.lowerBound > 0 && isPart(text[range.lowerBound - 1])
    let after = range.upperBound < text.count && isPart(text[range.upperBound])
    return !before && !after
  }
}
