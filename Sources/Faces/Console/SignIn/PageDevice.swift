import LibCrypto
package import ScanModel
import WireText

/// A door screen, as the devices' file has it.
package struct PageDevice: Sendable, Hashable {
  package let name: String
  /// The only gate that it shows.
  package let gate: String
  /// 32 hexadecimal digits at random; another one each time that the name is given anew.
  package let id: String
  /// The digest of the code by which it signs in, once.
  package let code: [UInt8]
  /// Until when the code is taken.
  package let codeEnds: WallTime

  /// How long a code is taken.
  package static let codeLife: Duration = .seconds(24 * 3_600)
  /// How long a screen that has signed in is known.
  static let life: Duration = .seconds(365 * 86_400)

  /// A screen that is to come, and the code for it.
  package static func new(_ name: String, gate: String, at now: WallTime) -> (device: PageDevice, code: DeviceCode) {
    let code = DeviceCode()
    let device = PageDevice(
      name: name, gate: gate, id: Hexadecimal.text(PasswordHash.random(16)), code: code.digest, codeEnds: now + codeLife
    )
    return (device, code)
  }

  fileprivate init(name: String, gate: String, id: String, code: [UInt8], codeEnds: WallTime) {
    (self.name, self.gate, self.id, self.code, self.codeEnds) = (name, gate, id, code, codeEnds)
  }
}

/// What is typed on a door screen, once: 16 characters that nobody takes for one another, `K7QF-2M9T-XR4W-5HNB`.
package struct DeviceCode: Sendable {
  /// Crockford's: without I, L, O and U.
  private static let alphabet = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ")
  private static let length = 16

  private let characters: String

  init() {
    var random = SystemRandomNumberGenerator()
    characters = String((0..<Self.length).compactMap { _ in Self.alphabet.randomElement(using: &random) })
  }

  /// Reads what somebody typed: in small letters too, with whatever between the groups; `nil` where it is none.
  init?(_ text: String) {
    guard text.utf8.count <= 64 else { return nil }
    let characters = text.uppercased().compactMap { character -> Character? in
      switch character {
      case "O": "0"
      case "I", "L": "1"
      case "-", " ", "–": nil
      default: character
      }
    }
    guard characters.count == Self.length, characters.allSatisfy(Self.alphabet.contains) else { return nil }
    self.characters = String(characters)
  }

  var digest: [UInt8] { SHA256.hash(data: [UInt8]("device \(characters)".utf8)) }

  /// As it is printed.
  package var text: String {
    let all = Array(characters)
    return stride(from: 0, to: all.count, by: 4).map { String(all[$0..<min($0 + 4, all.count)]) }.joined(separator: "-")
  }
}

/// The devices' file: a line for each, `NAME:GATE:NUMBER:DIGEST:END`, the gate percent-encoded, the end in seconds since 1970. Pure.
package struct PageDevices: Sendable, Equatable {
  package static let most = 256
  package static let longest = 262_144

  package private(set) var devices: [PageDevice] = []

  package init() {}

  /// Reads a file.
  /// - Throws: what is wrong with which line; nothing of it is heeded then.
  package init(_ bytes: [UInt8]) throws(AccessFileFault) {
    for (number, line) in try AccessFile.lines(of: bytes, upTo: Self.longest) {
      let parts = line.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 5, PageUser.isName(parts[0]),
        let gate = PercentCoding.decode(parts[1].utf8).flatMap({ String(validating: $0, as: UTF8.self) }),
        !gate.isEmpty, gate.utf8.count <= 255, Hexadecimal.bytes(parts[2])?.count == 16,
        let code = Hexadecimal.bytes(parts[3]), code.count == SHA256.byteCount, let end = Int64(parts[4])
      else { throw AccessFileFault(line: number, words: "is not NAME:GATE:NUMBER:DIGEST:END") }
      guard self[parts[0]] == nil else {
        throw AccessFileFault(line: number, words: "names a device that was named before")
      }
      guard devices.count < Self.most else { throw AccessFileFault(line: number, words: "is one device too many") }
      devices.append(
        PageDevice(name: parts[0], gate: gate, id: parts[2], code: code, codeEnds: WallTime(seconds: end)))
    }
  }

  package subscript(name: String) -> PageDevice? { devices.first { $0.name == name } }

  func device(numbered id: String) -> PageDevice? { devices.first { $0.id == id } }

  /// Puts a device in.
  /// - Returns: false where the name is taken, or there are too many.
  package mutating func add(_ device: PageDevice) -> Bool {
    guard self[device.name] == nil, devices.count < Self.most else { return false }
    devices.append(device)
    return true
  }

  /// - Returns: whether there was one.
  package mutating func remove(_ name: String) -> Bool {
    let count = devices.count
    devices.removeAll { $0.name == name }
    return devices.count < count
  }

  package var text: String {
    "# Written by: scangate console device\n"
      + devices.map { device in
        [
          device.name, PercentCoding.encode(device.gate), device.id, Hexadecimal.text(device.code),
          String(device.codeEnds.seconds),
        ].joined(separator: ":") + "\n"
      }.joined()
  }
}
