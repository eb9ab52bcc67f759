/// How a serial line runs. A pseudo-terminal has no speed and no bits: it takes any settings and ignores them.
package struct SerialSettings: Hashable, Sendable {
  /// Data bits, parity (`N`one, `E`ven, `O`dd) and stop bits; the cases and their raw values are named as people write them.
  package enum Framing: String, Sendable, CaseIterable {
    case bits8N1 = "8N1"
    case bits8E1 = "8E1"
    case bits8O1 = "8O1"
    case bits8N2 = "8N2"
    case bits8E2 = "8E2"
    case bits8O2 = "8O2"
    case bits7E1 = "7E1"
    case bits7O1 = "7O1"
    case bits7N1 = "7N1"
    case bits7N2 = "7N2"
    case bits7E2 = "7E2"
    case bits7O2 = "7O2"

    /// 7 or 8.
    package var dataBits: Int { rawValue.hasPrefix("7") ? 7 : 8 }
    /// The letter of the parity bit: `N`, `E` or `O`.
    package var parity: UInt8 { Array(rawValue.utf8)[1] }
    /// 1 or 2.
    package var stopBits: Int { rawValue.hasSuffix("2") ? 2 : 1 }
  }

  /// Who holds whom up.
  package enum Flow: String, Sendable, CaseIterable {
    /// Nobody.
    case none
    /// The wires RTS and CTS.
    case rtscts
    /// The characters XON and XOFF (17 and 19), which then cannot be part of a code.
    case xonxoff
  }

  /// Bits a second; one of `speeds`.
  package var speed: Int
  /// Data bits, parity and stop bits.
  package var framing: Framing
  /// Flow control.
  package var flow: Flow

  /// The speeds that can be set, slowest first.
  package static let speeds = [
    300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 921_600,
  ]

  /// Makes settings; without arguments those of most scanners fresh from the box.
  package init(speed: Int = 9600, framing: Framing = .bits8N1, flow: Flow = .none) {
    self.speed = speed
    self.framing = framing
    self.flow = flow
  }

  /// What is wrong with them, each in words; empty where nothing is.
  package var problems: [String] {
    guard !Self.speeds.contains(speed) else { return [] }
    return ["\(speed) is an unusual speed; \(Self.speeds.map(String.init).joined(separator: ", ")) can be set"]
  }

  /// As people write it, such as `9600 8N1`.
  package var title: String { "\(speed) \(framing.rawValue)" }
}
