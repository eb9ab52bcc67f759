import DecodeClient
import CQREncode

/// A text as a QR code (ISO/IEC 18004): its modules, and the pictures of them.
struct QRPicture {
  /// The light frame that readers need, in modules.
  static let quiet = 4

  /// The modules of a side, with the quiet zone.
  let side: Int
  private let dark: [Bool]

  /// Encodes `text`, which has only digits, capital letters, blanks and `$%*+-./:`, with error correction of level M.
  /// - Returns: `nil` where it has others, or is too long for the largest code.
  init?(alphanumeric text: String) { self.init([UInt8](text.utf8), QR_MODE_AN) }

  /// Encodes any text as UTF-8, likewise.
  init?(text: String) { self.init([UInt8](text.utf8), QR_MODE_8) }

  private init?(_ bytes: [UInt8], _ mode: QRencodeMode) {
    guard let input = QRinput_new2(0, QR_ECLEVEL_M) else { return nil }
    defer { QRinput_free(input) }
    guard QRinput_append(input, mode, CInt(bytes.count), bytes) == 0, let code = QRcode_encodeInput(input) else {
      return nil
    }
    defer { QRcode_free(code) }
    let width = Int(code.pointee.width)
    guard (21...177).contains(width), let data = code.pointee.data else { return nil }
    let side = width + 2 * Self.quiet
    var dark = [Bool](repeating: false, count: side * side)
    for row in 0..<width {
      // The lowest bit of each is its colour; the others say what it is for.
      for column in 0..<width where data[row * width + column] & 1 == 1 {
        dark[(row + Self.quiet) * side + column + Self.quiet] = true
      }
    }
    self.side = side
    self.dark = dark
  }

  /// Whether a module is dark; those outside are light.
  func isDark(row: Int, column: Int) -> Bool { row < side && column < side && dark[row * side + column] }

  /// For a terminal, two rows of modules a line: light ones shine, whatever the terminal's own colours are.
  /// - Parameter colours: whether the terminal may be told which colours those are.
  func lines(colours: Bool) -> [String] {
    stride(from: 0, to: side, by: 2).map { row in
      let line = (0..<side).map { column in
        switch (isDark(row: row, column: column), isDark(row: row + 1, column: column)) {
        case (false, false): "█"
        case (false, true): "▀"
        case (true, false): "▄"
        case (true, true): " "
        }
      }.joined()
      return colours ? "\u{1B}[97;40m\(line)\u{1B}[0m" : line
    }
  }

  /// SVG, sharp at any size; a module is one unit.
  var svg: String { svg(millimetres: 80) }

  /// - Parameter millimetres: how wide it is printed, with the quiet zone.
  func svg(millimetres: Int) -> String {
    var path = ""
    for row in 0..<side {
      var column = 0
      while column < side {
        guard isDark(row: row, column: column) else {
          column += 1
          continue
        }
        let start = column
        while isDark(row: row, column: column) { column += 1 }
        path += "M\(start) \(row)h\(column - start)v1h-\(column - start)z"
      }
    }
    return """
      <svg xmlns="http://www.w3.org/2000/svg" width="\(millimetres)mm" height="\(millimetres)mm" viewBox="0 0 \(side) \(side)" shape-rendering="crispEdges">
      <path fill="#fff" d="M0 0h\(side)v\(side)H0z"/>
      <path d="\(path)"/>
      </svg>

      """
  }

  /// The pixels of a module's side in the pictures that have pixels.
  static let scale = 8

  /// PGM, binary.
  var pgm: [UInt8] {
    let width = side * Self.scale
    var bytes = [UInt8]("P5 \(width) \(width) 255\n".utf8)
    bytes.reserveCapacity(bytes.count + width * width)
    for row in 0..<width {
      for column in 0..<width {
        bytes.append(isDark(row: row / Self.scale, column: column / Self.scale) ? 0 : 255)
      }
    }
    return bytes
  }

  /// PNG of one bit a pixel.
  var png: [UInt8] {
    let width = side * Self.scale
    let rows = (0..<width).map { row in
      // A module is a byte wide, in a light or a dark colour.
      (0..<side).map { isDark(row: row / Self.scale, column: $0) ? UInt8(0) : 0xFF }
    }
    return PlainPNG.bytes(width: width, rows: rows)
  }
}
