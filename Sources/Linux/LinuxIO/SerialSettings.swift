/// How a serial line runs. A pseudo-terminal has no speed and no bits: it takes any settings and ignores them.
package struct SerialSettings: Hashable, Sendable {
  /// The parity bit.
  package enum Parity: String, Sendable, CaseIterable {
    /// None.
    case none = "N"
    /// Even.
    case even = "E"
    /// Odd.
    case odd = "O"
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
  /// 7 or 8.
  package var dataBits: Int
  /// The parity bit.
  package var parity: Parity
  /// 1 or 2.
  package var stopBits: Int
  /// Flow control.
  package var flow: Flow

  /// The speeds that can be set, slowest first.
  package static let speeds = [
    300, 600, 1200, 2400, 4800, 9600, 19200, 38400, 57600, 115_200, 230_400, 460_800, 921_600,
  ]

  /// Makes settings; without arguments those of most scanners fresh from the box.
  package init(
    speed: Int = 9600, dataBits: Int = 8, parity: Parity = .none, stopBits: Int = 1, flow: Flow = .none
  ) {
    self.speed = speed
    self.dataBits = dataBits
    self.parity = parity
    self.stopBits = stopBits
    self.flow = flow
  }

  /// What is wrong with them, each in words; empty where nothing is.
  package var problems: [String] {
    var problems: [String] = []
    if !Self.speeds.contains(speed) {
      problems.append(
        "\(speed) is an unusual speed; \(Self.speeds.map(String.init).joined(separator: ", ")) can be set")
    }
    if dataBits != 7 && dataBits != 8 { problems.append("a line has 7 or 8 data bits, not \(dataBits)") }
    if stopBits != 1 && stopBits != 2 { problems.append("a line has 1 or 2 stop bits, not \(stopBits)") }
    return problems
  }

  /// As people write it, such as `9600 8N1`.
  package var title: String { "\(speed) \(dataBits)\(parity.rawValue)\(stopBits)" }
}
