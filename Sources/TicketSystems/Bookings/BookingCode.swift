package import ScanModel

/// What is presented for a booking, and what of it is the booking's own code.
///
///     website, letter   0A1B2C3D          ─▶ the code
///     app               LML-0A1B2C3D      ─▶ the code
///     app's backup      {"bookingId":…}, ID|SECONDS, ORDER:…    ─▶ cannot be verified
///     while it is made  PROCESSING, ERROR, nothing              ─▶ no code
package enum BookingCode {
  /// How many characters a code has.
  package static let lengths = 6...16

  /// What it cannot be.
  package enum Fault: Sendable, Equatable {
    /// A word that the service shows as long as there is no code.
    case unfinished
    /// A form of the apps that nobody can verify.
    case unverifiable
    /// Anything else.
    case foreign

    /// For staff: what was shown, and what to do. Holds nothing of it.
    package var words: String {
      switch self {
      case .unfinished:
        "The booking has no code yet: it is not finished. Have the booking opened again, or look up the name."
      case .unverifiable:
        "This code of the app cannot be verified: it is neither the booking's code nor signed. Ask for the code below it, or look up the name."
      case .foreign: "That is no booking's code: one has 6 to 16 letters and digits."
      }
    }
  }

  private static let prefix = [UInt8]("LML-".utf8)
  private static let unfinished: Set<[UInt8]> = [[UInt8]("PROCESSING".utf8), [UInt8]("ERROR".utf8), []]

  /// The booking's own code of what was presented; what is none stays as it is.
  package static func ownForm(of code: Code) -> Code {
    let bare = bare(code)
    return isForm(bare) || unfinished.contains(bare) ? Code(bytes: bare) : code
  }

  /// Why what was presented is no booking's code; `nil` where it can be one.
  package static func fault(of code: Code) -> Fault? {
    let bare = bare(code)
    if unfinished.contains(bare) { return .unfinished }
    if isForm(bare) { return nil }
    let isJSON = bare.first == UInt8(ascii: "{") && code.text.contains("bookingId")
    let parts = bare.split(separator: UInt8(ascii: "|"), omittingEmptySubsequences: false)
    let isStamped =
      parts.count == 2 && !parts[0].isEmpty && !parts[1].isEmpty
      && parts[1].allSatisfy { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") }
    if isJSON || isStamped || bare.starts(with: "ORDER:".utf8) { return .unverifiable }
    return .foreign
  }

  /// Whether these are the characters of a code.
  private static func isForm(_ bytes: [UInt8]) -> Bool {
    lengths.contains(bytes.count)
      && bytes.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
  }

  /// Without white space around it and the app's prefix, in capitals.
  private static func bare(_ code: Code) -> [UInt8] {
    func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
    func trimmed(_ bytes: some BidirectionalCollection<UInt8>) -> [UInt8] {
      Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }
    let capitals = trimmed(code.bytes).map { (0x61...0x7A).contains($0) ? $0 - 0x20 : $0 }
    return capitals.starts(with: prefix) ? trimmed(capitals.dropFirst(prefix.count)) : capitals
  }
}
