import ScanModel
import StationProtocol

/// The colours of a ticket system on a page, as a style of its own. Pure.
struct PageColours: Sendable, Hashable {
  /// `0xRRGGBB`.
  let ground: UInt32
  let text: UInt32

  /// What a ticket system wants to be shown in, where that can be read: its first colour, else the one of its page; `nil` for ours.
  init?(_ branding: StationSnapshot.Branding?) {
    guard let branding else { return nil }
    let pairs = [(branding.primary, branding.onPrimary), (branding.background, branding.text)]
    guard let (ground, text) = pairs.first(where: { PageContrast.isReadable($1, on: $0) }) else { return nil }
    (self.ground, self.text) = (ground & 0xFFFFFF, text & 0xFFFFFF)
  }

  /// The style: it says two colours, and what they are for stands in the style of all pages.
  var style: String { ":root{--brand:#\(Self.digits(ground));--on-brand:#\(Self.digits(text))}" }

  private static func digits(_ colour: UInt32) -> String { String(UInt64(colour), digits: 6, radix: 16) }
}
