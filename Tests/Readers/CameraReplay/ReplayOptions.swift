import Glibc
import LinuxIO
import ScanModel

/// What is wrong with what was asked, or with what came of it.
struct ReplayProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// What is played, and how.
struct ReplayOptions {
  var format = PixelFormat.yuyv
  var size = VideoSize(width: 1280, height: 720)
  /// Frames a second.
  var rate = 30
  /// As a reader's `idleRate`; `nil` looks at every frame.
  var idleRate: Int? = 10
  var kinds = SymbologySet.all
  /// Seconds that are played before any is counted: `idleRate` counts after 5 s of rest.
  var warm = 6
  /// Seconds that are counted.
  var seconds = 10
  var frames: [[UInt8]] = []

  init(_ arguments: [String]) throws {
    for argument in arguments {
      guard argument.hasPrefix("--") else {
        frames.append(try Self.bytes(of: argument))
        continue
      }
      let words = argument.dropFirst(2).split(separator: "=", maxSplits: 1).map(String.init)
      guard words.count == 2 else { throw ReplayProblem("\(argument) says nothing") }
      switch (words[0], words[1]) {
      case ("format", "yuyv"): format = .yuyv
      case ("format", "mjpg"): format = .mjpg
      case ("size", let value):
        let numbers = value.split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2 else { throw ReplayProblem("\(argument) is no size") }
        size = VideoSize(width: numbers[0], height: numbers[1])
      case ("rate", let value): rate = try Self.number(value, 1...120)
      case ("idle-rate", "all"): idleRate = nil
      case ("idle-rate", let value): idleRate = try Self.number(value, 1...120)
      case ("kinds", "all"): kinds = .all
      case ("kinds", let value):
        kinds = SymbologySet(value.split(separator: ",").compactMap { Symbology(rawValue: String($0)) })
      case ("warm", let value): warm = try Self.number(value, 1...3_600)
      case ("seconds", let value): seconds = try Self.number(value, 1...3_600)
      default: throw ReplayProblem("\(argument) is not known")
      }
    }
    if frames.isEmpty { throw ReplayProblem("no frames are named") }
  }

  private static func number(_ text: String, _ range: ClosedRange<Int>) throws -> Int {
    guard let number = Int(text), range.contains(number) else { throw ReplayProblem("\(text) is not in \(range)") }
    return number
  }

  private static func bytes(of path: String) throws -> [UInt8] {
    guard let file = fopen(path, "r") else { throw ReplayProblem("\(path) cannot be read") }
    defer { fclose(file) }
    fseek(file, 0, SEEK_END)
    let size = max(0, ftell(file))
    fseek(file, 0, SEEK_SET)
    return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
      count = fread(buffer.baseAddress, 1, size, file)
    }
  }
}
