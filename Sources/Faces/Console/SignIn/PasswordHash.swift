package import LibCrypto
import ScanModel

/// What is kept of a password: a key that scrypt makes of it, with what making it costs, and its salt.
package struct PasswordHash: Sendable, Hashable {
  /// What a new one costs: 16 MB, and a tenth to a whole second, by the machine. OWASP's list has it among those that are worth the same.
  package static let usualCost = Scrypt.Cost(logN: 14, blockSize: 8, parallelism: 5)
  /// The longest password, in bytes of UTF-8.
  package static let longest = 256
  private static let name = "scrypt"

  let cost: Scrypt.Cost
  private let salt: [UInt8]
  private let key: [UInt8]

  /// Keeps a password.
  /// - Returns: `nil` where there is no memory for it.
  package init?(of password: String, cost: Scrypt.Cost? = usualCost) {
    guard let cost else { return nil }
    let salt = Self.random(16)
    guard let key = Scrypt.key(of: [UInt8](password.utf8), salt: salt, cost: cost) else { return nil }
    (self.cost, self.salt, self.key) = (cost, salt, key)
  }

  /// One that no password has, and that takes as long to look at as another one.
  init(like other: PasswordHash) { (cost, salt, key) = (other.cost, Self.random(16), Self.random(32)) }

  /// One that no password has.
  init?(cost: Scrypt.Cost? = usualCost) {
    guard let cost else { return nil }
    (self.cost, salt, key) = (cost, Self.random(16), Self.random(32))
  }

  /// Whether this is the password. It takes its time and its memory, whatever it says.
  func matches(_ password: String) -> Bool {
    guard let made = Scrypt.key(of: Array(password.utf8.prefix(Self.longest)), salt: salt, cost: cost) else {
      return false
    }
    // PBKDF2 within takes zeros at the end for nothing.
    return areEqualInConstantTime(made, key) && password.utf8.count <= Self.longest && !password.utf8.contains(0)
  }

  // MARK: As it is written

  /// `scrypt$14$8$5$SALT$KEY`, both in hexadecimal digits.
  package var text: String {
    [
      Self.name, String(cost.logN), String(cost.blockSize), String(cost.parallelism), Hexadecimal.text(salt),
      Hexadecimal.text(key),
    ]
    .joined(separator: "$")
  }

  /// Reads one; `nil` where it is none.
  package init?(text: some StringProtocol) {
    let parts = text.split(separator: "$" as Character, omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 6, parts[0] == Self.name, let logN = Int(parts[1]), let size = Int(parts[2]),
      let parallelism = Int(parts[3]),
      let cost = Scrypt.Cost(logN: logN, blockSize: size, parallelism: parallelism),
      let salt = Hexadecimal.bytes(parts[4]), (16...64).contains(salt.count),
      let key = Hexadecimal.bytes(parts[5]), key.count == 32
    else { return nil }
    (self.cost, self.salt, self.key) = (cost, salt, key)
  }

  static func random(_ count: Int) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
  }
}

/// Bytes as hexadecimal digits, in small letters.
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String { bytes.map { String($0, digits: 2, radix: 16) }.joined() }

  static func bytes(_ text: some StringProtocol) -> [UInt8]? {
    let digits = Array(text.utf8)
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let high = value(digits[start]), let low = value(digits[start + 1]) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes
  }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    default: nil
    }
  }
}

/// What a password has to be.
package enum PasswordRule {
  package static let shortestPassword = 8
  package static let shortestPIN = 6

  /// Why it is not taken; `nil` where it is. Holds nothing of it.
  package static func refusal(of password: String, for name: String) -> String? {
    guard password.utf8.count <= PasswordHash.longest else {
      return "It is longer than \(PasswordHash.longest) bytes."
    }
    let bytes = Array(password.utf8)
    guard bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return "It holds what nobody can type." }
    let isPIN = !bytes.isEmpty && bytes.allSatisfy { (0x30...0x39).contains($0) }
    guard password.count >= (isPIN ? shortestPIN : shortestPassword) else {
      return "A PIN has \(shortestPIN) digits or more, a password \(shortestPassword) characters or more."
    }
    let steps = Set(zip(bytes, bytes.dropFirst()).map { Int($1) - Int($0) })
    guard steps.count > 1 || ![0, 1, -1].contains(steps.first ?? 0) else {
      return "It is what is tried first: the same again and again, or one after the other."
    }
    guard password.lowercased() != name.lowercased() else { return "It is the user's name." }
    return nil
  }
}
