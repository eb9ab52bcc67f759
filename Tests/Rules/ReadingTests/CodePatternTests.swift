import Expectations
import Reading
import ScanTesting
import Testing

@Suite("Code pattern")
struct CodePatternTests {
  @Test(
    "Matches the whole of it",
    arguments: [
      ("abc", "abc", true), ("abc", "abcd", false), ("abc", "xabc", false), ("a|b", "b", true), ("ab|cd", "abd", false),
      ("(ab|cd)+", "abcdab", true), ("a?", "", true), ("a{3}", "aaa", true), ("a{3}", "aa", false),
      ("a{2,4}", "aaaa", true), ("a{2,4}", "aaaaa", false), ("a{2,}", "aaaaaaa", true), ("a{2,}", "a", false),
      ("a{0}", "", true), ("[A-Z0-9_-]+", "AZ_-09", true), ("[A-Z0-9_-]+", "az", false), ("[^0-9]+", "ab c", true),
      ("[^0-9]+", "ab1", false), ("\\d\\w\\.\\\\", "1_.\\", true), (".", "😀", true), (".", "e\u{301}", false),
      ("[äö]", "ö", true), ("\\x1D01.*", "\u{1D}0112345", true), ("LML-[A-Z0-9]{8,13}", "LML-AB12CD34", true),
      ("(a*)*", "aaaa", true), ("(a*)*b", "aaaa", false), ("(|a)+", "aa", true), ("[\\d.-]+", "1.-", true),
      ("[a\\]]+", "a]", true),
      ("a-b", "a-b", true), ("\\D\\W\\S", "a-x", true), ("\\D", "1", false), ("[\\^a]", "^", true),
      ("a\\tb", "a\tb", true),
    ])
  func matches(pattern: String, text: String, expected: Bool) throws {
    try expectEqual(CodePattern(pattern).matches(text), expected)
  }

  @Test(
    "Says what is wrong and where",
    arguments: [
      ("", 1), ("ab(c", 3), ("abc)", 4), ("[a-z", 1), ("*a", 1), ("a**", 3), ("a+?", 3), ("a{2}{3}", 5), ("^a", 1),
      ("a$", 2),
      ("a{", 3), ("a{2", 2), ("a{4,2}", 2), ("a{5000}", 3), ("a{99999999999999999999}", 3), ("\\", 1), ("a\\q", 2),
      ("[z-a]", 2),
      ("[]", 1), ("[]x]", 1), ("[\\d-z]", 2), ("[\\D]", 2), ("\\x1", 1), ("a]", 2), ("a}", 2), ("(?:a)", 2),
      ("a{,3}", 3), ("[a", 1),
      ("[a-", 1),
      ("((((a{4096}){4096}){4096}){4096})", 1), ("((((){4096}){4096}){4096}){4096}", 1),
      ("((((a{0}){4096}){4096}){4096})", 1),
    ])
  func errors(pattern: String, column: Int) {
    let error = #expect(throws: PatternError.self) { try CodePattern(pattern) }
    expectEqual(error?.column, column, "\(String(describing: error))")
    expectEqual(error?.what.isEmpty, false)
  }

  @Test("Deep groups are an error, not a crash")
  func deep() {
    let depth = 100_000
    let pattern = String(repeating: "(", count: depth) + "a" + String(repeating: ")", count: depth)
    #expect(throws: PatternError.self) { try CodePattern(pattern) }
  }

  @Test("Many branches and long repeats work")
  func large() throws {
    let words = (0..<1_000).map { "w\($0)" }
    let pattern = try CodePattern(words.joined(separator: "|"))
    expect(pattern.matches("w999") && pattern.matches("w0") && !pattern.matches("w1000"))
    let long = try CodePattern("[a-z]{1,4096}")
    expect(long.matches(String(repeating: "q", count: 200)) && !long.matches(String(repeating: "q", count: 199) + "Q"))
  }

  @Test("What makes a backtracking matcher hang is decided")
  func hostile() throws {
    let text = String(repeating: "a", count: 4_000)
    for pattern in ["(a*)*b", "(a|a)*b", "(a|aa)+b", "(a?){30}a{30}b", "((a+)+)+b", "(.*)(.*)(.*)(.*)b"] {
      expect(try !CodePattern(pattern).matches(text), "\(pattern)")
    }
  }

  @Test("Agrees with a backtracking oracle", arguments: [5, 500, 50_000] as [UInt64])
  func oracle(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var matched = 0
    for round in 0..<1_500 {
      let tree = Oracle.random(depth: 3, &random)
      let pattern = try CodePattern(tree.source)
      for _ in 0..<12 {
        let text = String(
          (0..<Int.random(in: 0...5, using: &random)).map { _ in "abc".randomElement(using: &random) ?? "a" })
        let expected = tree.matches(Array(text))
        if expected { matched += 1 }
        expectEqual(pattern.matches(text), expected, "seed \(seed) round \(round): \(tree.source) on \(text)")
      }
    }
    expect(matched > 500)
  }

  @Test("Any text is a pattern or an error, never a crash", arguments: [9, 99] as [UInt64])
  func noise(seed: UInt64) {
    var random = SeededGenerator(seed: seed)
    var valid = 0
    for _ in 0..<5_000 {
      let text = String(
        (0..<Int.random(in: 0...12, using: &random)).map { _ in
          "ab01[](){}|*+?.\\^$-,dx".randomElement(using: &random) ?? "a"
        })
      do {
        let pattern = try CodePattern(text)
        valid += 1
        _ = pattern.matches("ab01")
      } catch {
        expect((1...text.count + 1).contains(error.column), "seed \(seed): \(text): \(error)")
      }
    }
    expect(valid > 100)
  }
}

/// The same language by naive backtracking: all ends of a match from each start.
private indirect enum Oracle {
  case character(Character)
  case any
  case oneOf(Set<Character>, negated: Bool)
  case sequence([Oracle])
  case either(Oracle, Oracle)
  case times(Oracle, Int, Int?)

  static func random(depth: Int, _ random: inout SeededGenerator) -> Oracle {
    switch Int.random(in: 0..<(depth == 0 ? 4 : 8), using: &random) {
    case 0, 1: return .character("abc".randomElement(using: &random) ?? "a")
    case 2: return .any
    case 3: return .oneOf(random.chance(50) ? ["a", "b"] : ["c"], negated: random.chance(30))
    case 4, 5:
      let count = Int.random(in: 1...3, using: &random)
      return .sequence((0..<count).map { _ in Oracle.random(depth: depth - 1, &random) })
    case 6: return .either(.random(depth: depth - 1, &random), .random(depth: depth - 1, &random))
    default:
      let least = Int.random(in: 0...2, using: &random)
      let most = random.chance(40) ? nil : least + Int.random(in: 0...2, using: &random)
      return .times(.random(depth: depth - 1, &random), least, most)
    }
  }

  var source: String {
    switch self {
    case .character(let character): String(character)
    case .any: "."
    case .oneOf(let set, let negated): "[\(negated ? "^" : "")\(String(set.sorted()))]"
    case .sequence(let parts): parts.map(\.source).joined()
    case .either(let a, let b): "(\(a.source)|\(b.source))"
    case .times(let part, 0, nil): "(\(part.source))*"
    case .times(let part, 1, nil): "(\(part.source))+"
    case .times(let part, 0, 1): "(\(part.source))?"
    case .times(let part, let least, let most): "(\(part.source)){\(least),\(most.map(String.init) ?? "")}"
    }
  }

  func matches(_ text: [Character]) -> Bool { ends(text, 0).contains(text.count) }

  private func ends(_ text: [Character], _ start: Int) -> Set<Int> {
    switch self {
    case .character(let character): return start < text.count && text[start] == character ? [start + 1] : []
    case .any: return start < text.count ? [start + 1] : []
    case .oneOf(let set, let negated):
      return start < text.count && set.contains(text[start]) != negated ? [start + 1] : []
    case .sequence(let parts):
      return parts.reduce([start]) { starts, part in Set(starts.flatMap { part.ends(text, $0) }) }
    case .either(let a, let b): return a.ends(text, start).union(b.ends(text, start))
    case .times(let part, let least, let most):
      var result: Set<Int> = least == 0 ? [start] : []
      var current: Set<Int> = [start]
      for round in 1...Swift.max(1, (most ?? least + text.count + 1)) {
        if let most, round > most { break }
        current = Set(current.flatMap { part.ends(text, $0) })
        if round >= least { result.formUnion(current) }
      }
      return result
    }
  }
}
