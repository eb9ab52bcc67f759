package import CodeSigning
internal import WireText

/// The public keys by which a station believes passes: lines `key NAME BASE64`, and comments from a `#` on.
package struct PassKeys: Sendable, Equatable {
  /// The largest file, in bytes, and the most lines that it may have.
  static let mostBytes = 65_536, mostLines = 1_000

  /// By what passes call them; four bytes can be those of several.
  private let keys: [[UInt8]: [VerifyingKey]]

  /// Believes these.
  package init(_ keys: [VerifyingKey]) { self.keys = Dictionary(grouping: keys, by: \.id) }

  /// Reads a list.
  /// - Parameter file: its name, for the words of a fault.
  /// - Throws: `PassListFault` with everything that is wrong in it.
  package static func read(_ bytes: [UInt8], file: String) throws(PassListFault) -> PassKeys {
    var named = NamedKeys()
    try PassListFault.read(bytes, file, mostBytes, mostLines) { line in
      guard line.keyword == "key" else {
        // What stands there may be a private key that was pasted into the wrong file.
        return EditedList.Problem(line: line.number, column: 1, what: "a line begins with key or #")
      }
      return named.take(line, printedBy: PassPurpose.maker)
    }
    guard !named.keys.isEmpty else {
      throw PassListFault(["\(file):1:1: there is no key in it: put in a line that \(PassPurpose.maker) has printed"])
    }
    return PassKeys(named.keys)
  }

  /// Whether one of them has signed a pass.
  package func believe(_ pass: SignedPass) -> Bool { keys[pass.keyID]?.contains { pass.isSigned(by: $0) } ?? false }
}

/// The passes that a station takes no more: lines `id DIGITS` for all passes of a subscription, `serial HEX` for one, and comments from a
/// `#` on.
package struct RevokedPasses: Sendable, Equatable {
  /// The largest file, in bytes, and the most lines that it may have.
  static let mostBytes = 1 << 20, mostLines = 20_000
  /// None is revoked.
  package static let none = RevokedPasses(ids: [], serials: [])

  private let ids: Set<SubscriptionID>
  private let serials: Set<[UInt8]>

  private init(ids: Set<SubscriptionID>, serials: Set<[UInt8]>) {
    self.ids = ids
    self.serials = serials
  }

  /// How many lines name one.
  package var count: Int { ids.count + serials.count }

  /// Reads a list; an empty one is one.
  /// - Throws: as `PassKeys.read`.
  package static func read(_ bytes: [UInt8], file: String) throws(PassListFault) -> RevokedPasses {
    var ids: Set<SubscriptionID> = []
    var serials: Set<[UInt8]> = []
    try PassListFault.read(bytes, file, mostBytes, mostLines) { line in
      func problem(_ what: String, at word: Int) -> EditedList.Problem {
        EditedList.Problem(line: line.number, column: line.column(of: word), what: what)
      }
      guard line.words.count == 2 else {
        return problem("a line is written as: id DIGITS, or: serial HEX", at: min(line.words.count, 2))
      }
      switch line.keyword {
      case "id":
        guard let id = SubscriptionID(line.words[1]) else { return problem("an id has 8 to 20 digits", at: 1) }
        ids.insert(id)
      case "serial":
        guard let serial = PassSerial.bytes(line.words[1]) else {
          return problem("a serial number has 16 hexadecimal digits", at: 1)
        }
        serials.insert(serial)
      default: return problem("a line begins with id, serial or #", at: 0)
      }
      return nil
    }
    return RevokedPasses(ids: ids, serials: serials)
  }

  /// Whether all that another one names is on it.
  package func names(allOf other: RevokedPasses) -> Bool {
    ids.isSuperset(of: other.ids) && serials.isSuperset(of: other.serials)
  }

  /// Whether a subscription is on it, or a pass of it.
  package func name(_ id: SubscriptionID, serial: [UInt8]?) -> Bool {
    ids.contains(id) || serial.map { serials.contains($0) } ?? false
  }
}

/// A pass's serial number as people write it.
package enum PassSerial {
  /// 16 hexadecimal digits.
  package static func text(_ serial: [UInt8]) -> String {
    serial.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  /// The bytes that 16 hexadecimal digits stand for; `nil` for anything else.
  package static func bytes(_ text: some Collection<UInt8>) -> [UInt8]? {
    let digits = text.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
    guard text.count == 2 * SignedPass.serialLength, digits.count == text.count else { return nil }
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
  }
}

/// What is wrong with a list of keys or passes, all at once: each line `FILE:LINE:COLUMN: what, and what to do`.
package struct PassListFault: Error, Sendable, Equatable, CustomStringConvertible {
  /// The messages, in the order of the file.
  package let problems: [String]

  package init(_ problems: [String]) { self.problems = problems }

  /// Takes a list line by line.
  fileprivate static func read(
    _ bytes: [UInt8], _ file: String, _ mostBytes: Int, _ mostLines: Int,
    _ take: (EditedList.Line) -> EditedList.Problem?
  ) throws(PassListFault) {
    let list: EditedList
    do throws(EditedList.Problem) {
      list = try EditedList(bytes, mostBytes: mostBytes, mostLines: mostLines)
    } catch {
      throw PassListFault([error.words(file)])
    }
    let problems = list.lines.compactMap { take($0)?.words(file) }
    if !problems.isEmpty { throw PassListFault(problems) }
  }

  package var description: String { problems.joined(separator: "\n") }
}

extension EditedList.Problem {
  fileprivate func words(_ file: String) -> String { "\(file):\(line):\(column): \(what)" }
}
