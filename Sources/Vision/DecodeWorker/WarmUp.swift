import CLinux
import CTurboJPEG
import Glibc
import ScanModel

/// What libraries load or look up only when they first need it, while files can still be opened.
package enum WarmUp {
  /// The character sets that a QR code can name (ECI), and those that zbar tries without one. They stay open: glibc then
  /// knows them without a file.
  private static let characterSets =
    ["UTF-8", "SJIS", "BIG5", "CP437", "ASCII"] + (1...16).filter { $0 != 12 }.map { "ISO8859-\($0)" }

  /// Opens the character sets, for good.
  package static func openCharacterSets() {
    for name in characterSets { _ = iconv_open("UTF-8", name) }
  }

  /// Opens character sets, and lets the JPEG library see what the processor can do.
  static func run(_ decoder: PictureDecoder) {
    openCharacterSets()
    clinux_unbuffered()
    var pixels = [UInt8](repeating: 200, count: 64 * 64)
    if let encoder = tjInitCompress() {
      var jpeg: UnsafeMutablePointer<UInt8>?
      var size: UInt = 0
      tjCompress2(
        encoder, &pixels, 64, 64, 64, Int32(TJPF_GRAY.rawValue), &jpeg, &size, Int32(TJSAMP_GRAY.rawValue), 80, 0)
      if let jpeg {
        decoder.warmUp(UnsafeRawBufferPointer(start: jpeg, count: Int(size)))
        tjFree(jpeg)
      }
      tjDestroy(encoder)
    }
  }
}
