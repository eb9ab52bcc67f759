import ArgumentParser
import Glibc
import ScanModel
import Reading

/// A code by which scans are looked for: a whole one, or the last characters that are shown of it. It is told nowhere.
struct CodeArgument: Sendable {
  /// The most of a code that is shown: that many characters are its end, and not a whole one.
  private static let shown = 4
  private static let longest = 4_096

  private let shortened: String
  /// What ticket systems take a whole code for, in whatever spelling.
  private let keys: Set<TicketKey>

  /// Takes what was typed; `-` is asked for without showing it, or read from a pipe.
  init(_ text: String) throws {
    let bytes =
      text == "-"
      ? try HiddenInput.given(
        nil, asking: "The code, and Enter (it is not shown): ", upTo: Self.longest, otherwise: "Nothing was looked for."
      )
      : [UInt8](text.utf8)
    guard bytes.count <= Self.longest, let code = Normaliser.normalise(bytes) else {
      throw ValidationError("--code takes a whole code, or the last characters that are shown of one.")
    }
    let isEnd = code.text.hasPrefix("…") || code.text.unicodeScalars.count <= Self.shown
    shortened = code.text.hasPrefix("…") ? code.text : isEnd ? "…" + code.text : ""
    keys = code.text.hasPrefix("…") ? [] : TicketSystemRegistry.tickets(of: code)
  }

  /// Whether a scan's code is this one.
  func matches(_ code: Code) -> Bool {
    code.shortened == shortened || !keys.isDisjoint(with: TicketSystemRegistry.tickets(of: code))
  }
}
