internal import Glibc

/// Takes an input apart: each fuzzer reads what it needs from the front; what is missing is zero.
struct FuzzInput {
  private var rest: Slice<UnsafeRawBufferPointer>

  /// The input as the engine hands it over.
  init(_ bytes: UnsafeRawBufferPointer) { rest = bytes[...] }

  /// Whether everything was taken.
  var isEmpty: Bool { rest.isEmpty }

  /// The next byte; 0 at the end.
  mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// The next byte as a choice: all of `choices` can come up.
  mutating func choice<T>(_ choices: [T]) -> T { choices[Int(byte()) % choices.count] }

  /// The next bytes, fewer at the end.
  mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = [UInt8](rest.prefix(count))
    rest = rest.dropFirst(count)
    return taken
  }

  /// All that is left.
  mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

/// Something that reads what comes from outside, and what must hold for every input.
struct Fuzzer: Sendable {
  /// How it is called, as its folder of inputs.
  let name: String
  /// Reads an input; `property` tells what does not hold.
  let run: @Sendable (inout FuzzInput) -> Void

  /// All of them.
  static let all = [
    Fuzzer(name: "answer", run: fuzzAnswer), Fuzzer(name: "booking", run: fuzzBooking),
    Fuzzer(name: "code", run: fuzzCode),
    Fuzzer(name: "configuration", run: fuzzConfiguration), Fuzzer(name: "decode", run: fuzzDecode),
    Fuzzer(name: "desk", run: fuzzDesk),
    Fuzzer(name: "discovery", run: fuzzDiscovery), Fuzzer(name: "events", run: fuzzEvents),
    Fuzzer(name: "given", run: fuzzGiven),
    Fuzzer(name: "holder", run: fuzzHolder), Fuzzer(name: "kiosk", run: fuzzKiosk),
    Fuzzer(name: "order", run: fuzzOrder), Fuzzer(name: "pass", run: fuzzPass),
    Fuzzer(name: "picture", run: fuzzPicture), Fuzzer(name: "report", run: fuzzReport),
    Fuzzer(name: "serial", run: fuzzSerial),
    Fuzzer(name: "setup", run: fuzzSetUp),
    Fuzzer(name: "signed", run: fuzzSigned),
    Fuzzer(name: "station", run: fuzzStation), Fuzzer(name: "subscription", run: fuzzSubscription),
    Fuzzer(name: "text", run: fuzzText),
    Fuzzer(name: "vision", run: fuzzVision), Fuzzer(name: "wedge", run: fuzzWedge),
  ]
}

/// Who is told of what does not hold; with nobody there, the process ends, so that the engine keeps the input.
enum BrokenProperties {
  @TaskLocal static var tell: (@Sendable (String) -> Void)?
}

/// Tells of a property that does not hold.
func property(_ holds: @autoclosure () throws -> Bool, _ what: @autoclosure () -> String) {
  if (try? holds()) == true { return }
  if let tell = BrokenProperties.tell { return tell(what()) }
  // An optimised build keeps no message of a trap.
  let line = "PROPERTY BROKEN: \(what())\n"
  _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  abort()
}
