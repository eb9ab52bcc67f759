internal import Glibc
internal import LibFuzzer

/// Which fuzzer this run is of, by an argument that the engine leaves alone: one program is linked once.
private let chosen: Fuzzer = {
  let key = "--fuzzer="
  let name = CommandLine.arguments.last { $0.hasPrefix(key) }?.dropFirst(key.count)
  guard let fuzzer = Fuzzer.all.first(where: { $0.name == name ?? "" }) else {
    let names = Fuzzer.all.map(\.name).joined(separator: ", ")
    let line = "Which fuzzer? Say \(key)NAME, with NAME one of \(names).\n"
    _ = line.utf8.withContiguousStorageIfAvailable { write(2, $0.baseAddress, $0.count) }
    exit(2)
  }
  return fuzzer
}()

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  var input = FuzzInput(UnsafeRawBufferPointer(start: start, count: count))
  chosen.run(&input)
  return 0
}

@main
enum Engine {
  static func main() {
    // Before the engine runs, which takes an exit for a crash.
    _ = chosen
    var count = CommandLine.argc
    var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
    exit(LLVMFuzzerRunDriver(&count, &arguments, testOneInput))
  }
}
