import Expectations
import Foundation
import Synchronization
import Testing

/// Every input with which the fuzzers begin, read without the engine: what once broke does not break again.
struct CorpusTests {
  /// An input, by its file.
  struct Input: Sendable, CustomTestStringConvertible {
    let fuzzer: Fuzzer
    let file: URL

    var testDescription: String { fuzzer.name + "/" + file.lastPathComponent }
  }

  private static let tree = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// As `Fuzz/run` has them.
  private static func folders(_ fuzzer: Fuzzer) -> [String] {
    ["Fuzz/corpus/" + fuzzer.name]
      + (fuzzer.name == "configuration" ? ["examples", "Tests/Station/ScanConfigurationTests/bad"] : [])
  }

  private static func inputs() throws -> [Input] {
    try Fuzzer.all.flatMap { fuzzer in
      try folders(fuzzer).flatMap { folder in
        let files = try FileManager.default.contentsOfDirectory(
          at: tree.appending(path: folder), includingPropertiesForKeys: [.isRegularFileKey])
        return try files.filter { try $0.resourceValues(forKeys: [.isRegularFileKey]).isRegularFile == true }
          .sorted { $0.path < $1.path }.map { Input(fuzzer: fuzzer, file: $0) }
      }
    }
  }

  /// What does not hold for these bytes.
  private static func broken(_ fuzzer: Fuzzer, _ bytes: [UInt8]) -> [String] {
    let told = Mutex<[String]>([])
    BrokenProperties.$tell.withValue({ what in told.withLock { $0.append(what) } }) {
      bytes.withUnsafeBytes { bytes in
        var input = FuzzInput(bytes)
        fuzzer.run(&input)
      }
    }
    return told.withLock { $0 }
  }

  @Test(arguments: try inputs())
  func anInputKeepsEveryProperty(_ input: Input) throws {
    let bytes = [UInt8](try Data(contentsOf: input.file))
    expectEqual(Self.broken(input.fuzzer, bytes), [], "\(input.testDescription)")
  }

  @Test func eachFuzzerHasInputs() throws {
    let folders = try FileManager.default.contentsOfDirectory(atPath: Self.tree.appending(path: "Fuzz/corpus").path)
    expectEqual(folders.sorted(), Fuzzer.all.map(\.name).sorted())
    for fuzzer in Fuzzer.all { expect(try Self.inputs().contains { $0.fuzzer.name == fuzzer.name }, "\(fuzzer.name)") }
  }

  @Test func whatDoesNotHoldIsTold() {
    let fuzzer = Fuzzer(name: "one") { input in property(input.byte() != 7, "no seven") }
    expectEqual(Self.broken(fuzzer, [7]), ["no seven"])
    expectEqual(Self.broken(fuzzer, [8]), [])
  }
}
