import CodeVision
import DecodeClient
import DecodeProtocol
import Glibc
import ScanModel

@testable import DecodeWorker

/// Reads pictures or frames from files and prints one line of JSON for each: what was read, and the CPU time of reading alone.
///
///     decode-bench pictures LIST     LIST has the path of a PGM file (P5, 8 bits) on each line
///     decode-bench frames FILE       FILE is Y4M, grey only (`Cmono`)
///     decode-bench raw GREY:640x480 FILE...
///                                    reads frames as a camera gives them, as the worker does but without its fence, and prints nothing but how
///                                    many codes each has: whoever counts its instructions wants no others
///     decode-bench memory FILE       reads the frames 20 times over, and prints by how many pages the process grew after the fourth time
///     decode-bench shown LIST        what a picture costs that somebody wants to see: making it smaller, and then a file, each the best of 20
///
/// An option `--kinds=ean13,qr` before limits the kinds, `--stages=N` the stages (their bits).
enum DecodeBench {
  static func run(_ arguments: [String]) -> Int32 {
    var settings = VisionSettings(kinds: .all)
    var words: [String] = []
    for argument in arguments {
      if argument.hasPrefix("--kinds=") {
        settings.kinds = SymbologySet(
          argument.dropFirst(8).split(separator: ",").compactMap { Symbology(rawValue: String($0)) })
      } else if argument.hasPrefix("--stages=") {
        settings.stages = VisionStages(rawValue: UInt32(argument.dropFirst(9)) ?? .max)
      } else {
        words.append(argument)
      }
    }
    if words.count > 2, words[0] == "raw" { return raw(words[1], files: words[2...]) }
    guard words.count == 2 else { return fail("decode-bench pictures LIST | frames FILE") }
    switch words[0] {
    case "pictures":
      guard let list = read(words[1]) else { return fail("\(words[1]) cannot be read") }
      let reader = CodeReader(settings)
      for line in list.split(separator: 0x0A) {
        let path = String(decoding: line, as: UTF8.self)
        guard let file = read(path), let picture = Picture(pgm: file) else { return fail("\(path) is no PGM file") }
        picture.withImage { print(reader.read(picture: $0)) }
      }
    case "frames":
      guard let file = read(words[1]), let sequence = Sequence(y4m: file) else {
        return fail("\(words[1]) is no Y4M file")
      }
      let reader = CodeReader(settings)
      for picture in sequence.pictures {
        picture.withImage { image in
          print(reader.read(frame: image))
        }
      }
    case "shown":
      guard let list = read(words[1]) else { return fail("\(words[1]) cannot be read") }
      for line in list.split(separator: 0x0A) {
        let path = String(decoding: line, as: UTF8.self)
        guard let file = read(path), let picture = Picture(pgm: file) else { return fail("\(path) is no PGM file") }
        picture.withImage { printShown($0) }
      }
    case "memory":
      guard let file = read(words[1]), let sequence = Sequence(y4m: file) else {
        return fail("\(words[1]) is no Y4M file")
      }
      let reader = CodeReader(settings)
      var before = 0
      for round in 0..<20 {
        if round == 4 { before = pagesOfData() }
        for picture in sequence.pictures { picture.withImage { _ = reader.read(frame: $0) } }
      }
      Swift.print(pagesOfData() - before)
    default: return fail("\(words[0]) is not known")
    }
    return 0
  }

  private static func raw(_ what: String, files: ArraySlice<String>) -> Int32 {
    let words = what.split(whereSeparator: { $0 == ":" || $0 == "x" }).map(String.init)
    let name = words.first.map { Array($0.unicodeScalars) } ?? []
    guard words.count == 3, name.count == 4, let width = UInt32(words[1]), let height = UInt32(words[2]) else {
      return fail("decode-bench raw GREY:640x480 FILE...")
    }
    let format = PixelFormat(name[0], name[1], name[2], name[3])
    do {
      let decoder = try PictureDecoder(DecodeSettings(kinds: .all))
      for path in files {
        guard let bytes = read(path), let count = UInt32(exactly: bytes.count) else {
          return fail("\(path) cannot be read")
        }
        let stride = format == .mjpg ? width : count / Swift.max(height, 1)
        let layout = FrameLayout(format: format, width: width, height: height, stride: stride, byteCount: count)
        let packet = bytes.withUnsafeBytes { decoder.answer(.frame(number: 1, layout), $0, nil) }
        switch try packet.map({ try DecodeAnswer(bytes: $0) }) {
        case .result(_, let result): Swift.print(result.reading.symbols.count)
        case let other: return fail("\(path): \(String(describing: other))")
        }
      }
      return 0
    } catch {
      return fail("\(error)")
    }
  }

  private static func pagesOfData() -> Int {
    let words = read("/proc/self/statm", atMost: 256)?.split(separator: 0x20) ?? []
    return words.count > 5 ? Int(String(decoding: words[5], as: UTF8.self)) ?? 0 : 0
  }

  private static func fail(_ message: String) -> Int32 {
    let line = "decode-bench: \(message)\n"
    _ = write(STDERR_FILENO, line, line.utf8.count)
    return 1
  }

  private static func hex(_ bytes: some Collection<UInt8>) -> String {
    let digits = Array("0123456789abcdef".unicodeScalars)
    var text = String.UnicodeScalarView()
    for byte in bytes {
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return String(text)
  }

  private static func printShown(_ image: GreyImage) {
    guard let size = ShownSize(ofFrame: image.width, image.height) else { return }
    var pixels = [UInt8](repeating: 0, count: size.pixels)
    let smaller = best {
      pixels.withUnsafeMutableBytes {
        _ = ShownPicture.write(image, width: Int(size.width), height: Int(size.height), to: $0)
      }
    }
    guard let picture = GreyPicture(width: Int(size.width), height: Int(size.height), pixels: pixels) else { return }
    var bytes = 0
    let file = best { bytes = PlainJPEG.file(of: picture, upTo: 48_000)?.bytes.count ?? 0 }
    Swift.print("{\"smaller\":\(smaller),\"file\":\(file),\"bytes\":\(bytes)}")
  }

  /// The shortest of 20 times in nanoseconds.
  private static func best(_ work: () -> Void) -> UInt64 {
    (0..<20).map { _ in
      let start = processorTime()
      work()
      return processorTime() &- start
    }.min() ?? 0
  }

  private static func processorTime() -> UInt64 {
    var time = timespec()
    guard clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time) == 0 else { return 0 }
    return UInt64(truncatingIfNeeded: time.tv_sec) &* 1_000_000_000 &+ UInt64(truncatingIfNeeded: time.tv_nsec)
  }

  private static func print(_ reading: ViewReading) {
    let symbols = reading.symbols.map { "[\"\($0.symbology.rawValue)\",\"\(hex($0.text.utf8))\",\"\(hex($0.bytes))\"]" }
    Swift.print(
      "{\"cpu\":\(reading.decodeTime),\"still\":\(reading.isStill),\"symbols\":[\(symbols.joined(separator: ","))]}")
  }

  /// The bytes of a file; of one of the kernel's, whose size is not known before, at most so many.
  private static func read(_ path: String, atMost limit: Int? = nil) -> [UInt8]? {
    guard let file = fopen(path, "r") else { return nil }
    defer { fclose(file) }
    var size = limit ?? 0
    if limit == nil {
      guard fseek(file, 0, SEEK_END) == 0 else { return nil }
      size = ftell(file)
      guard size >= 0, fseek(file, 0, SEEK_SET) == 0 else { return nil }
    }
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = fread(buffer.baseAddress, 1, size, file)
    }
  }
}

/// A grey picture in memory.
struct Picture {
  let bytes: ArraySlice<UInt8>
  let width: Int
  let height: Int

  init?(bytes: ArraySlice<UInt8>, width: Int, height: Int) {
    guard width > 0, height > 0, bytes.count == width * height else { return nil }
    (self.bytes, self.width, self.height) = (bytes, width, height)
  }

  init?(pgm file: [UInt8]) {
    var position = 0
    func word() -> String {
      while position < file.count, file[position] <= 0x20 { position += 1 }
      let start = position
      while position < file.count, file[position] > 0x20 { position += 1 }
      return String(decoding: file[start..<position], as: UTF8.self)
    }
    guard word() == "P5", let width = Int(word()), let height = Int(word()), word() == "255" else { return nil }
    let start = position + 1
    guard width > 0, height > 0, start + width * height <= file.count else { return nil }
    self.init(bytes: file[start..<start + width * height], width: width, height: height)
  }

  func withImage(_ body: (GreyImage) -> Void) {
    bytes.withUnsafeBufferPointer { buffer in
      if let image = GreyImage(buffer, width: width, height: height, stride: width) { body(image) }
    }
  }
}

/// The frames of a grey Y4M file.
struct Sequence {
  var pictures: [Picture] = []

  init?(y4m file: [UInt8]) {
    guard let end = file.firstIndex(of: 0x0A) else { return nil }
    let words = file[..<end].split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    guard words.first == "YUV4MPEG2", words.contains("Cmono"),
      let width = words.first(where: { $0.hasPrefix("W") }).flatMap({ Int($0.dropFirst()) }),
      let height = words.first(where: { $0.hasPrefix("H") }).flatMap({ Int($0.dropFirst()) })
    else { return nil }
    var position = end + 1
    while let line = file[position...].firstIndex(of: 0x0A), line + 1 + width * height <= file.count {
      guard let picture = Picture(bytes: file[line + 1..<line + 1 + width * height], width: width, height: height)
      else {
        return nil
      }
      pictures.append(picture)
      position = line + 1 + width * height
    }
  }
}

exit(DecodeBench.run(Array(CommandLine.arguments.dropFirst())))
