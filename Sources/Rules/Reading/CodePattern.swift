/// A pattern that a whole code must match: a small regular language, matched in linear time.
///
///     abc \. \\       these characters; a character with a meaning is escaped: . \ [ ] ( ) { } ? * + | ^ $
///     \t \x1D         tab; a character by two hexadecimal digits
///     .               any character
///     \d \w \s        an ASCII digit; letter, digit or _; white space.  \D \W \S: any other character
///     [A-Z0-9_-]      one of these; [^…] any other. Inside, only \ ] ^ and - have a meaning (- not at an end)
///     ? * + {3} {2,4} {2,}   the item before it 0 or 1, any, 1 or more, 3, 2 to 4, 2 or more times
///     ( ) |           group; either side
///
/// It is anchored at both ends. Characters are Unicode scalars, and case matters.
///
/// Matching runs all alternatives side by side (Thompson's construction, as in Pike's matcher): time grows with the length
/// of the code times the size of the pattern, never faster, so no code can hang a gate.
package struct CodePattern: Sendable, Equatable, CustomStringConvertible {
  /// The pattern as written.
  package let description: String
  private let program: [PatternInstruction]

  /// The greatest number of repeats that `{m,n}` may ask for.
  package static let greatestRepeat = 4_096
  /// The greatest size of a pattern once its repeats are written out.
  package static let greatestSize = 16_384

  /// Reads a pattern.
  package init(_ text: String) throws(PatternError) {
    var parser = PatternParser(text)
    let node = try parser.parse()
    guard node.size < Self.greatestSize else {
      throw PatternError(
        column: 1, what: "the pattern is too large with its repeats written out: use fewer or smaller repeats")
    }
    description = text
    program = PatternCompiler.compile(node)
  }

  package static func == (a: Self, b: Self) -> Bool { a.description == b.description }

  /// Whether the whole of `text` matches.
  package func matches(_ text: String) -> Bool {
    var current = PatternThreads(program)
    var next = current
    current.add(0, program)
    for scalar in text.unicodeScalars {
      guard !current.isEmpty else { return false }
      next.removeAll()
      for index in current.waiting {
        if case .character(let set) = program[index], set.contains(scalar) { next.add(index + 1, program) }
      }
      swap(&current, &next)
    }
    return current.isAccepting
  }
}

/// What is wrong with a pattern, and where.
package struct PatternError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The character of the pattern at fault, counted from 1; one past the end where something is missing.
  package var column: Int
  /// What is wrong and what would be right.
  package var what: String

  package var description: String { "character \(column): \(what)" }
}

/// One step of a compiled pattern.
enum PatternInstruction: Sendable {
  /// Takes a character of the set and goes on to the next step.
  case character(ScalarSet)
  /// Goes on at both.
  case split(Int, Int)
  /// Goes on there.
  case jump(Int)
  /// The whole pattern is matched.
  case accept
}

/// A set of characters as sorted ranges, or all others.
struct ScalarSet: Sendable {
  var ranges: [ClosedRange<UInt32>]
  var isNegated = false

  func contains(_ scalar: Unicode.Scalar) -> Bool { ranges.contains { $0.contains(scalar.value) } != isNegated }
}

/// The places in the program where a match may stand, each once.
private struct PatternThreads {
  private(set) var waiting: [Int] = []
  private(set) var isAccepting = false
  private var seenIn: [Int]
  private var generation = 1
  private var stack: [Int] = []

  init(_ program: [PatternInstruction]) { seenIn = Array(repeating: 0, count: program.count) }

  var isEmpty: Bool { waiting.isEmpty }

  mutating func removeAll() {
    waiting.removeAll(keepingCapacity: true)
    isAccepting = false
    generation += 1
  }

  /// Adds a place and all that it reaches without a character; its own stack, so that depth costs no call stack.
  mutating func add(_ start: Int, _ program: [PatternInstruction]) {
    stack.append(start)
    while let index = stack.popLast() {
      if seenIn[index] == generation { continue }
      seenIn[index] = generation
      switch program[index] {
      case .character: waiting.append(index)
      case .split(let a, let b):
        stack.append(b)
        stack.append(a)
      case .jump(let target): stack.append(target)
      case .accept: isAccepting = true
      }
    }
  }
}
