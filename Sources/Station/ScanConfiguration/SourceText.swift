internal import ScanModel
internal import TicketSystemKit

/// The bytes of a file, checked before a YAML parser sees them.
///
/// libyaml stops at the first character it does not like and says so in its own words; here all of them are found, with
/// their places. What passes is UTF-8 whose lines end in LF, CR LF or CR only, so that lines are counted as editors do.
struct SourceText {
  /// The largest file that is read, in bytes.
  static let maximumBytes = 1 << 20
  /// The most aliases in a file. Aliases of aliases multiply: sixteen of them can stand for 350 copies at the most.
  static let maximumAliases = 16
  /// More faulty characters than this are not listed: the file is no text.
  private static let maximumErrors = 20

  /// The file's name, for positions.
  let file: String
  /// The text, without a byte order mark.
  private(set) var scalars: [Unicode.Scalar] = []

  /// The text.
  var text: String {
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(view)
  }

  /// Decodes and checks `bytes`.
  init(bytes: [UInt8], file: String, findings: Findings) {
    self.file = file
    let start = SourcePosition(file: file, line: 1, column: 1)
    if bytes.count > Self.maximumBytes {
      findings.error(
        at: start, "the file has \(bytes.count) bytes", "a configuration has at most \(Self.maximumBytes) (1 MiB)")
      return
    }
    if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
      findings.error(at: start, "the file is UTF-16", "save it as UTF-8")
      return
    }
    decode(bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...], findings)
    if !findings.hasErrors { checkAliases(findings) }
  }

  private mutating func decode(_ bytes: ArraySlice<UInt8>, _ findings: Findings) {
    scalars.reserveCapacity(bytes.count)
    var iterator = bytes.makeIterator()
    var decoder = UTF8()
    var position = SourcePosition(file: file, line: 1, column: 1)
    var faults = 0
    var previous: Unicode.Scalar = "\n"
    decoding: while faults < Self.maximumErrors {
      switch decoder.decode(&iterator) {
      case .emptyInput: break decoding
      case .error:
        faults += 1
        findings.error(at: position, "a byte that is no UTF-8", "save the file as UTF-8")
        position.column += 1
        previous = "?"
      case .scalarValue(let scalar):
        if let name = Self.forbidden(scalar) {
          faults += 1
          findings.error(
            at: position, "an invisible character, \(name)", "remove it, or write it as an escape in quotes")
        }
        scalars.append(scalar)
        position.pass(scalar, after: previous)
        previous = scalar
      }
    }
  }

  /// The name of a character that YAML forbids (YAML 1.2, 5.1), or that counts as a line break in YAML and in no editor.
  private static func forbidden(_ scalar: Unicode.Scalar) -> String? {
    switch scalar.value {
    case 0x09, 0x0A, 0x0D, 0x20...0x7E, 0xA0...0x2027, 0x202A...0xD7FF, 0xE000...0xFEFE, 0xFF00...0xFFFD,
      0x10000...0x10FFFF:
      return nil
    default:
      return "U+" + String(scalar.value, digits: 4, radix: 16, uppercase: true)
    }
  }

  /// Counts what may be aliases: the parser compares keys by their whole expanded value, so they are bounded before it.
  private func checkAliases(_ findings: Findings) {
    var position = SourcePosition(file: file, line: 1, column: 1)
    var previous: Unicode.Scalar = "\n"
    var aliases = 0
    var hasAnchor = false
    for (index, scalar) in scalars.enumerated() {
      let next = index + 1 < scalars.count ? scalars[index + 1] : " "
      let opens = " \t\n\r[{,:?-".unicodeScalars.contains(previous) && !" \t\n\r".unicodeScalars.contains(next)
      if scalar == "&" && opens { hasAnchor = true }
      if scalar == "*" && opens {
        aliases += 1
        if hasAnchor && aliases > Self.maximumAliases {
          findings.error(
            at: position, "more than \(Self.maximumAliases) aliases (*name) in one file", "write the values out")
          return
        }
      }
      position.pass(scalar, after: previous)
      previous = scalar
    }
  }

  /// The index of the character at a place; `nil` where there is none.
  private func index(line: Int, column: Int) -> Int? {
    var current = 1
    var index = 0
    while index < scalars.count && current < line {
      if scalars[index] == "\r" && index + 1 < scalars.count && scalars[index + 1] == "\n" { index += 1 }
      if scalars[index] == "\n" || scalars[index] == "\r" { current += 1 }
      index += 1
    }
    guard current == line, column >= 1, column <= scalars.count else { return nil }
    let target = index + column - 1
    return target < scalars.count ? target : nil
  }

  /// The character at a place; `nil` where there is none.
  func scalar(line: Int, column: Int) -> Unicode.Scalar? { index(line: line, column: column).map { scalars[$0] } }

  /// Replaces the first character of the text that begins at a place, behind its quotation mark; false where it has none.
  mutating func replace(line: Int, column: Int, with scalar: Unicode.Scalar) -> Bool {
    guard var target = index(line: line, column: column) else { return false }
    if scalars[target] == "\"" || scalars[target] == "'" { target += 1 }
    guard target < scalars.count, scalars[target] != "\n", scalars[target] != "\r" else { return false }
    scalars[target] = scalar
    return true
  }
}

extension SourcePosition {
  /// Goes on behind a character; CR, LF and both end a line.
  fileprivate mutating func pass(_ scalar: Unicode.Scalar, after previous: Unicode.Scalar) {
    guard scalar == "\n" || scalar == "\r" else {
      column += 1
      return
    }
    if scalar == "\r" || previous != "\r" { line += 1 }
    column = 1
  }
}
