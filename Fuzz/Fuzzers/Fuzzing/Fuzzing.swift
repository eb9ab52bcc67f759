internal import Glibc

/// Takes an input apart: each fuzzer reads what it needs from the front; what is missing is zero.
public struct FuzzInput {
  private var rest: Slice<UnsafeRawBufferPointer>

  /// The input as the engine hands it over.
  public init(_ start: UnsafePointer<UInt8>?, _ count: Int) {
    rest = UnsafeRawBufferPointer(start: start, count: count)[...]
  }

  /// Whether everything was taken.
  public var isEmpty: Bool { rest.isEmpty }

  /// The next byte; 0 at the end.
  public mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

  /// The next byte as a choice: all of `choices` can come up.
  public mutating func choice<T>(_ choices: [T]) -> T { choices[Int(byte()) % choices.count] }

  /// The next bytes, fewer at the end.
  public mutating func bytes(_ count: Int) -> [UInt8] {
    let taken = [UInt8](rest.prefix(count))
    rest = rest.dropFirst(count)
    return taken
  }

  /// All that is left.
  public mutating func remainder() -> [UInt8] { bytes(rest.count) }
}

/// Ends the process where a property does not hold, so that the engine keeps the input.
public func property(_ holds: @autoclosure () throws -> Bool, _ what: @autoclosure () -> String) {
  if (try? holds()) == true { return }
  // An optimised build keeps no message of a trap.
  let line = "PROPERTY BROKEN: \(what())\n"
  _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
  abort()
}
