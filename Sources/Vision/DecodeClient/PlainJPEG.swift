/// Writes JPEGs (ITU-T T.81, baseline) from pixels in grey. Nothing here reads one: a worker that a stranger's picture has taken over can
/// lie about pixels alone, and the gateway links no library for pictures.
package struct PlainJPEG {
  /// Tried one after another until the file is short enough.
  private static let qualities = [80, 60, 40, 20, 5]

  private let picture: GreyPicture
  private let steps: [Int]
  private var file: [UInt8] = []
  private var waiting: UInt32 = 0
  private var waitingBits = 0

  /// The picture as a file, as good as fits: coarser first, then smaller.
  /// - Parameter limit: the most bytes of the file.
  /// - Returns: the file, and its size in pixels; `nil` where no picture fits.
  package static func file(
    of picture: GreyPicture, upTo limit: Int
  ) -> (bytes: [UInt8], width: Int, height: Int)? {
    guard picture.width <= Int(UInt16.max), picture.height <= Int(UInt16.max) else { return nil }
    for quality in qualities {
      var writer = PlainJPEG(picture, quality)
      writer.write()
      if writer.file.count <= limit { return (writer.file, picture.width, picture.height) }
    }
    return picture.halved.flatMap { file(of: $0, upTo: limit) }
  }

  private init(_ picture: GreyPicture, _ quality: Int) {
    self.picture = picture
    let scale = quality < 50 ? 5_000 / quality : 200 - 2 * quality
    steps = JPEGTables.steps.map { min(255, max(1, ($0 * scale + 50) / 100)) }
    file.reserveCapacity(picture.pixels.count / 4 + 1_024)
  }

  private mutating func write() {
    file += [0xFF, 0xD8]
    segment(0xE0, [0x4A, 0x46, 0x49, 0x46, 0, 1, 1, 0, 0, 1, 0, 1, 0, 0])
    segment(0xDB, [0] + JPEGTables.zigzag.map { UInt8(steps[$0]) })
    segment(0xC0, [8] + number(picture.height) + number(picture.width) + [1, 1, 0x11, 0])
    segment(0xC4, [0x00] + JPEGTables.direct.counts + JPEGTables.direct.values)
    segment(0xC4, [0x10] + JPEGTables.alternating.counts + JPEGTables.alternating.values)
    segment(0xDA, [1, 1, 0, 0, 63, 0])
    var before = 0
    for top in stride(from: 0, to: picture.height, by: 8) {
      for left in stride(from: 0, to: picture.width, by: 8) { before = write(block(left, top), after: before) }
    }
    // What is left of the last byte is ones.
    put(0x7F, 7)
    file += [0xFF, 0xD9]
  }

  private mutating func segment(_ marker: UInt8, _ content: [UInt8]) {
    file += [0xFF, marker] + number(content.count + 2) + content
  }

  private func number(_ value: Int) -> [UInt8] { [UInt8(value >> 8 & 0xFF), UInt8(value & 0xFF)] }

  /// The frequencies of eight by eight pixels, as coarse as they are kept; beyond the picture its last pixels go on.
  private func block(_ left: Int, _ top: Int) -> [Int] {
    let waves = JPEGTables.waves
    var rows = [Float](repeating: 0, count: 64)
    for row in 0..<8 {
      let start = min(top + row, picture.height - 1) * picture.width
      for place in 0..<8 {
        let pixel = Float(picture.pixels[start + min(left + place, picture.width - 1)]) - 128
        for frequency in 0..<8 { rows[row * 8 + frequency] += pixel * waves[frequency * 8 + place] }
      }
    }
    var block = [Int](repeating: 0, count: 64)
    for vertical in 0..<8 {
      for horizontal in 0..<8 {
        var sum: Float = 0
        for row in 0..<8 { sum += rows[row * 8 + horizontal] * waves[vertical * 8 + row] }
        let index = vertical * 8 + horizontal
        block[index] = Int((sum / Float(steps[index])).rounded())
      }
    }
    return block
  }

  /// Writes a block; answers its mean, of which the next one tells the difference.
  private mutating func write(_ block: [Int], after before: Int) -> Int {
    let difference = block[0] - before
    put(JPEGTables.direct, UInt8(bits(of: difference)))
    put(difference)
    var zeros = 0
    for place in JPEGTables.zigzag.dropFirst() {
      let value = block[place]
      if value == 0 {
        zeros += 1
        continue
      }
      while zeros > 15 {
        put(JPEGTables.alternating, 0xF0)
        zeros -= 16
      }
      put(JPEGTables.alternating, UInt8(zeros << 4 | bits(of: value)))
      put(value)
      zeros = 0
    }
    if zeros > 0 { put(JPEGTables.alternating, 0) }
    return block[0]
  }

  /// How many bits a value takes: 0 for none, at most 11 for what eight bits a pixel can become.
  private func bits(of value: Int) -> Int { Int.bitWidth - value.magnitude.leadingZeroBitCount }

  private mutating func put(_ table: HuffmanTable, _ value: UInt8) {
    let code = table.codes[Int(value)]
    put(code.bits, code.length)
  }

  /// A value by its own bits; one below zero is written as one less.
  private mutating func put(_ value: Int) {
    let length = bits(of: value)
    put(UInt32(truncatingIfNeeded: value < 0 ? value - 1 : value) & (1 << UInt32(length) - 1), length)
  }

  private mutating func put(_ bits: UInt32, _ length: Int) {
    waiting = waiting << UInt32(length) | bits
    waitingBits += length
    while waitingBits >= 8 {
      waitingBits -= 8
      let byte = UInt8(truncatingIfNeeded: waiting >> UInt32(waitingBits))
      file.append(byte)
      // A byte that begins a mark is followed by none.
      if byte == 0xFF { file.append(0) }
    }
    waiting &= 1 << UInt32(waitingBits) - 1
  }
}
