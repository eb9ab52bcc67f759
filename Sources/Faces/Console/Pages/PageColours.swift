import NIOCore
import ScanModel
import StationProtocol

/// The colours of a ticket system on a page, as a style of its own: no page has a style within it. Pure.
struct PageColours: Sendable, Hashable {
  /// `0xRRGGBB`.
  let ground: UInt32
  let text: UInt32

  /// What a ticket system wants to be shown in, where that can be read: its first colour, else the one of its page; `nil` for ours.
  init?(_ branding: StationSnapshot.Branding?) {
    guard let branding else { return nil }
    let pairs = [(branding.primary, branding.onPrimary), (branding.background, branding.text)]
    guard let (ground, text) = pairs.first(where: { PageContrast.isReadable($1, on: $0) }) else { return nil }
    self.init(ground: ground, text: text)
  }

  private init?(ground: UInt32, text: UInt32) {
    guard ground <= 0xFFFFFF, text <= 0xFFFFFF, PageContrast.isReadable(text, on: ground) else { return nil }
    (self.ground, self.text) = (ground, text)
  }

  /// The name of the style's file, which says all that is in it: `brand-1f2937-ffffff.css`.
  var file: String { "brand-\(Self.digits(ground))-\(Self.digits(text)).css" }

  /// Those that a file's name says; `nil` where it says none, or what cannot be read.
  init?(file: String) {
    let parts = file.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == "brand", parts[1].utf8.count == 6, parts[2].hasSuffix(".css"),
      let ground = UInt32(parts[1], radix: 16), let text = UInt32(parts[2].dropLast(4), radix: 16)
    else { return nil }
    self.init(ground: ground, text: text)
    // One name for each.
    guard self.file == file else { return nil }
  }

  /// The style: it says two colours, and what they are for stands in the style of all pages.
  var style: ByteBuffer {
    ByteBuffer(string: ":root{--brand:#\(Self.digits(ground));--on-brand:#\(Self.digits(text))}\n")
  }

  private static func digits(_ colour: UInt32) -> String { String(UInt64(colour), digits: 6, radix: 16) }
}
