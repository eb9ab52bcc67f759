/// A parsed pattern.
indirect enum PatternNode {
  case empty
  case set(ScalarSet)
  case sequence([PatternNode])
  case either(PatternNode, PatternNode)
  case times(PatternNode, least: Int, most: Int?)

  /// The number of steps that compiling it takes, at least that of its instructions; saturates above the greatest size.
  ///
  /// Never 0: what matches nothing costs time too when it is repeated.
  var size: Int {
    switch self {
    case .empty, .set: 1
    case .sequence(let nodes): nodes.reduce(1) { Self.capped($0 + $1.size) }
    case .either(let a, let b): Self.capped(a.size + b.size + 2)
    case .times(let node, let least, let most):
      if let most {
        Self.capped(1 + node.size * most + (most - least))
      } else {
        Self.capped(node.size * (least + 1) + 2)
      }
    }
  }

  private static func capped(_ size: Int) -> Int { Swift.min(size, CodePattern.greatestSize) }
}

/// Writes a parsed pattern out as a program.
enum PatternCompiler {
  static func compile(_ node: PatternNode) -> [PatternInstruction] {
    var program: [PatternInstruction] = []
    emit(node, &program)
    program.append(.accept)
    return program
  }

  private static func emit(_ node: PatternNode, _ program: inout [PatternInstruction]) {
    switch node {
    case .empty: break
    case .set(let set): program.append(.character(set))
    case .sequence(let nodes): for node in nodes { emit(node, &program) }
    case .either(let a, let b):
      let split = program.count
      program.append(.jump(0))
      emit(a, &program)
      let jump = program.count
      program.append(.jump(0))
      program[split] = .split(split + 1, program.count)
      emit(b, &program)
      program[jump] = .jump(program.count)
    case .times(let node, let least, let most):
      for _ in 0..<least { emit(node, &program) }
      guard let most else {
        let split = program.count
        program.append(.jump(0))
        emit(node, &program)
        program.append(.jump(split))
        program[split] = .split(split + 1, program.count)
        return
      }
      var splits: [Int] = []
      for _ in least..<most {
        splits.append(program.count)
        program.append(.jump(0))
        emit(node, &program)
      }
      for split in splits { program[split] = .split(split + 1, program.count) }
    }
  }
}

/// Reads a pattern's text, one character ahead.
struct PatternParser {
  private let scalars: [Unicode.Scalar]
  private var position = 0
  private var depth = 0

  /// Groups inside groups; bounds the parser's own stack.
  private static let greatestDepth = 64

  init(_ text: String) { scalars = Array(text.unicodeScalars) }

  mutating func parse() throws(PatternError) -> PatternNode {
    guard !scalars.isEmpty else { throw error("the pattern is empty: leave it out to accept every code") }
    let node = try alternatives()
    guard position == scalars.count else { throw error("this ) closes no group: write \\) for the character") }
    return node
  }

  private var current: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

  private func error(_ what: String, at index: Int? = nil) -> PatternError {
    PatternError(column: (index ?? position) + 1, what: what)
  }

  /// Takes the next character if it is `scalar`.
  private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard current == scalar else { return false }
    position += 1
    return true
  }

  private mutating func alternatives() throws(PatternError) -> PatternNode {
    var branches = [try sequence()]
    while take("|") { branches.append(try sequence()) }
    return Self.balanced(branches[...])
  }

  /// Halves instead of a chain: many branches need little depth.
  private static func balanced(_ branches: ArraySlice<PatternNode>) -> PatternNode {
    guard branches.count > 1 else { return branches.first ?? .empty }
    let middle = branches.startIndex + branches.count / 2
    return .either(balanced(branches[..<middle]), balanced(branches[middle...]))
  }

  private mutating func sequence() throws(PatternError) -> PatternNode {
    var items: [PatternNode] = []
    while let scalar = current, scalar != "|", scalar != ")" {
      let item = try item(scalar)
      items.append(try repeated(item))
    }
    return items.count == 1 ? items[0] : .sequence(items)
  }

  private mutating func item(_ scalar: Unicode.Scalar) throws(PatternError) -> PatternNode {
    switch scalar {
    case "?", "*", "+", "{":
      throw error("\(scalar) has nothing before it to repeat: write \\\(scalar) for the character")
    case "^", "$":
      throw error(
        "a pattern matches the whole code already: leave \(scalar) out, or write \\\(scalar) for the character")
    case "]", "}":
      throw error("\(scalar) closes nothing: write \\\(scalar) for the character")
    case "(": return try group()
    case "[": return try bracket()
    case ".":
      position += 1
      return .set(ScalarSet(ranges: [], isNegated: true))
    case "\\": return .set(try escape())
    default:
      position += 1
      return .set(ScalarSet(ranges: [scalar.value...scalar.value]))
    }
  }

  private mutating func group() throws(PatternError) -> PatternNode {
    let start = position
    position += 1
    depth += 1
    guard depth <= Self.greatestDepth else { throw error("more than \(Self.greatestDepth) groups inside each other") }
    let node = try alternatives()
    guard take(")") else { throw error("the group has no closing )", at: start) }
    depth -= 1
    return node
  }

  // MARK: Repeats

  private mutating func repeated(_ item: PatternNode) throws(PatternError) -> PatternNode {
    let node: PatternNode
    switch current {
    case "?":
      position += 1
      node = .times(item, least: 0, most: 1)
    case "*":
      position += 1
      node = .times(item, least: 0, most: nil)
    case "+":
      position += 1
      node = .times(item, least: 1, most: nil)
    case "{": node = try counted(item)
    default: return item
    }
    if let scalar = current, scalar == "?" || scalar == "*" || scalar == "+" || scalar == "{" {
      throw error("a repeat cannot follow a repeat: put the first in ( )")
    }
    return node
  }

  private mutating func counted(_ item: PatternNode) throws(PatternError) -> PatternNode {
    let start = position
    position += 1
    let least = try number()
    var most: Int? = least
    if take(",") { most = current == "}" ? nil : try number() }
    guard take("}") else { throw error("a repeat is written {3}, {2,4} or {2,}", at: start) }
    if let most, most < least { throw error("the repeat ends before it begins: {\(least),\(most)}", at: start) }
    return .times(item, least: least, most: most)
  }

  private mutating func number() throws(PatternError) -> Int {
    let start = position
    var value = 0
    while let digit = current, ("0"..."9").contains(digit) {
      value = Swift.min(value * 10 + Int(digit.value - 0x30), CodePattern.greatestRepeat + 1)
      position += 1
    }
    guard position > start else { throw error("a number is missing: a repeat is written {3}, {2,4} or {2,}") }
    guard value <= CodePattern.greatestRepeat else {
      throw error("a repeat counts to \(CodePattern.greatestRepeat) at most", at: start)
    }
    return value
  }

  // MARK: Characters

  private static let digits: [ClosedRange<UInt32>] = [0x30...0x39]
  private static let word: [ClosedRange<UInt32>] = [0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A]
  private static let space: [ClosedRange<UInt32>] = [0x09...0x0D, 0x20...0x20]

  /// Reads an escape; the position is on its backslash.
  private mutating func escape() throws(PatternError) -> ScalarSet {
    let start = position
    position += 1
    guard let scalar = current else { throw error("nothing follows the \\: write \\\\ for the character", at: start) }
    position += 1
    switch scalar {
    case "d": return ScalarSet(ranges: Self.digits)
    case "D": return ScalarSet(ranges: Self.digits, isNegated: true)
    case "w": return ScalarSet(ranges: Self.word)
    case "W": return ScalarSet(ranges: Self.word, isNegated: true)
    case "s": return ScalarSet(ranges: Self.space)
    case "S": return ScalarSet(ranges: Self.space, isNegated: true)
    case "t": return ScalarSet(ranges: [0x09...0x09])
    case "x":
      guard let high = hexDigit(), let low = hexDigit() else {
        throw error("\\x takes two hexadecimal digits, as in \\x1D", at: start)
      }
      return ScalarSet(ranges: [(high * 16 + low)...(high * 16 + low)])
    default:
      let isLetterOrDigit = scalar.isASCII && Self.word.contains { $0.contains(scalar.value) } && scalar != "_"
      guard !isLetterOrDigit else { throw error("\\\(scalar) has no meaning here", at: start) }
      return ScalarSet(ranges: [scalar.value...scalar.value])
    }
  }

  private mutating func hexDigit() -> UInt32? {
    guard let scalar = current, let value = Character(scalar).hexDigitValue, scalar.isASCII else { return nil }
    position += 1
    return UInt32(value)
  }

  private mutating func bracket() throws(PatternError) -> PatternNode {
    let start = position
    position += 1
    var set = ScalarSet(ranges: [], isNegated: take("^"))
    while true {
      guard let scalar = current else { throw error("the [ has no closing ]", at: start) }
      if take("]") { break }
      let low = position
      let first = try member(scalar)
      let isRange = current == "-" && position + 1 < scalars.count && scalars[position + 1] != "]"
      guard isRange else {
        set.ranges += first
        continue
      }
      position += 1
      let last = try member(scalars[position])
      guard let from = Self.single(first), let to = Self.single(last) else {
        throw error("a range goes from one character to another: write \\- for the character", at: low)
      }
      guard from <= to else { throw error("the range ends before it begins", at: low) }
      set.ranges.append(from...to)
    }
    guard !set.ranges.isEmpty else { throw error("the [ ] is empty", at: start) }
    set.ranges.sort { $0.lowerBound < $1.lowerBound }
    return .set(set)
  }

  /// One character, or the characters of an escape, inside brackets.
  private mutating func member(_ scalar: Unicode.Scalar) throws(PatternError) -> [ClosedRange<UInt32>] {
    guard scalar == "\\" else {
      position += 1
      return [scalar.value...scalar.value]
    }
    let start = position
    let set = try escape()
    guard !set.isNegated else { throw error("\\D, \\W and \\S cannot stand inside [ ]: write [^ ]", at: start) }
    return set.ranges
  }

  private static func single(_ ranges: [ClosedRange<UInt32>]) -> UInt32? {
    guard ranges.count == 1, let range = ranges.first, range.count == 1 else { return nil }
    return range.lowerBound
  }
}
