import ArgumentParser
import LinuxIO
import Glibc
import ScanModel

/// A code, or the address of a page, as a QR code: in a new file, and on the terminal.
struct CodePicture {
  private let code: QRPicture

  /// Draws a text; one of digits, capital letters, blanks and `$%*+-./:` becomes a smaller picture.
  /// - Throws: that it is too long.
  init(_ text: String) throws {
    guard let code = QRPicture(alphanumeric: text) ?? QRPicture(text: text) else {
      throw failure("The code is too long for a QR code.", Exit.data)
    }
    self.code = code
  }

  /// Makes sure that a picture can be written there.
  static func check(_ path: String) throws {
    guard Kind(path: path) != nil else { throw ValidationError("a picture is .svg, .png or .pgm") }
    guard access(path, F_OK) != 0 else {
      throw ValidationError("\(TerminalText.clean(path)) is there already, and is not overwritten")
    }
  }

  /// Writes it to a new file, whose ending says how.
  func save(to path: String) throws {
    let bytes: [UInt8]
    switch Kind(path: path) {
    case .svg?: bytes = [UInt8](code.svg.utf8)
    case .png?: bytes = code.png
    case .pgm?, nil: bytes = code.pgm
    }
    try Result { () throws(SystemError) in try NewFile.write(bytes, to: path) }
      .mapError { failure("\(TerminalText.clean(path)) cannot be written: \($0.words).", Exit.output) }.get()
  }

  /// Prints it.
  func show() { for line in code.lines(colours: Terminal.isColourful) { Terminal.out(line) } }

  private enum Kind: String, CaseIterable {
    case svg, png, pgm

    init?(path: String) {
      guard let kind = Self.allCases.first(where: { path.lowercased().hasSuffix(".\($0.rawValue)") }) else {
        return nil
      }
      self = kind
    }
  }
}
