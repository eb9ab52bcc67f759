package import ScanModel

/// A reader: `readers.<name>`.
package struct ReaderConfiguration: Sendable, Equatable {
  /// The name of a technology.
  package enum Kind: String, Sendable, CaseIterable {
    /// A scanner that types.
    case wedge
    /// A scanner on a serial line.
    case serial
    /// A camera.
    case camera
  }

  /// A technology with what only it has.
  package enum Technology: Sendable, Equatable {
    /// A scanner that types.
    case wedge(WedgeTyping)
    /// A scanner on a serial line.
    case serial(SerialLine)
    /// A camera.
    case camera(CameraView)
  }

  /// The name.
  package var id: ReaderID
  /// Which devices are this reader.
  package var match: DeviceMatch
  /// The technology.
  package var technology: Technology
  /// Silence that ends a code without a terminator, and that is awaited after attach. Neither this nor what follows means
  /// anything to a camera.
  package var silence: Duration
  /// What the scanner sends before each code.
  package var prefix: String
  /// What the scanner sends after each code, before the terminator.
  package var suffix: String
  /// Whether an AIM identifier is split off.
  package var aim: Bool

  /// The technology's name.
  package var kind: Kind {
    switch technology {
    case .wedge: .wedge
    case .serial: .serial
    case .camera: .camera
    }
  }
}

/// How a wedge types.
package struct WedgeTyping: Sendable, Equatable {
  /// What ends a code.
  package enum Terminator: String, Sendable, CaseIterable {
    /// The Enter key.
    case enter
    /// The Enter key of the keypad.
    case keypadEnter
    /// The Tab key.
    case tab
  }

  /// The layout that the scanner types in.
  package var keymap: Keymap
  /// The locale whose Compose table makes characters of dead keys, such as `en_US.UTF-8`.
  package var compose: String?
  /// The code page of Alt + three digits: 437 or 850.
  package var oemPage: Int
  /// The keys that end a code; may be empty.
  package var terminators: Set<Terminator>
}

/// How a serial line runs.
package struct SerialLine: Sendable, Equatable {
  /// What ends a code.
  package enum Terminator: String, Sendable, CaseIterable {
    /// Carriage return, 13.
    case cr
    /// Line feed, 10.
    case lf
    /// Horizontal tabulator, 9.
    case tab
    /// End of text, 3.
    case etx

    /// The byte.
    package var byte: UInt8 {
      switch self {
      case .cr: 0x0D
      case .lf: 0x0A
      case .tab: 0x09
      case .etx: 0x03
      }
    }
  }

  /// Data bits, parity (none, even, odd) and stop bits; the cases and their raw values are named as people write them.
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
    /// `N`, `E` or `O`.
    package var parity: String { String(rawValue.dropFirst().prefix(1)) }
    /// 1 or 2.
    package var stopBits: Int { rawValue.hasSuffix("2") ? 2 : 1 }
  }

  /// Who holds whom up.
  package enum Flow: String, Sendable, CaseIterable {
    /// Nobody.
    case none
    /// The wires RTS and CTS.
    case rtscts
    /// The characters XON and XOFF.
    case xonxoff
  }

  /// Bits a second: one of the usual speeds from 300 to 921600.
  package var speed: Int
  /// Data bits, parity and stop bits.
  package var framing: Framing
  /// Flow control.
  package var flow: Flow
  /// The bytes that end a code; may be empty.
  package var terminators: Set<Terminator>
}

/// Which devices are a reader: all fields that are set must fit. At least one besides `interface` is set.
package struct DeviceMatch: Sendable, Hashable {
  /// The USB vendor: four lower-case hexadecimal digits.
  package var vendor: String?
  /// The USB product: four lower-case hexadecimal digits; only together with a vendor.
  package var product: String?
  /// The serial number.
  package var serial: String?
  /// The USB port as the kernel names it: `1-1.2`.
  package var port: String?
  /// The device's name.
  package var name: String?
  /// The USB interface of a composite device: two lower-case hexadecimal digits.
  package var interface: String?
  /// The line of a serial reader, or the camera, by its absolute path; then nothing else is set.
  package var path: String?
}

/// An XKB layout.
package struct Keymap: Sendable, Equatable {
  /// The layout: `us`, `de`.
  package var layout: String
  /// The variant: `nodeadkeys`; empty for the layout's own.
  package var variant: String
  /// Options, separated by commas; mostly empty.
  package var options: String
}
