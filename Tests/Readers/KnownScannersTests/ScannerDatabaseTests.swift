import Expectations
import Foundation
import Testing

@testable import KnownScanners

/// The file that is installed for udev is the one that the program carries.
private let file = repositoryFile("udev-rules/70-scangate-scanners.hwdb")

@Suite struct ScannerDatabaseTests {
  @Test func theFileHasNoFaultAndIsCarried() throws {
    let text = try String(contentsOf: file, encoding: .utf8)
    let database = ScannerDatabase(text)
    expectEqual(database.problems, [])
    expect(database.entries.count >= 130)
    expectEqual(database, ScannerDatabase.carried)
    expect(text.utf8.allSatisfy { $0 < 0x80 }, "hwdb takes bytes; ASCII is what every tool shows alike")
  }

  @Test func everyModeThatCannotBeReadHasItsCure() {
    for entry in ScannerDatabase.carried.entries {
      expectEqual((entry.model.mode?.isReadable == false), (entry.model.cure != nil), "line \(entry.line)")
    }
  }

  /// A comment right above a block is the source of it and of those below, up to the next.
  @Test func everyEntryHasASource() throws {
    let lines = try String(contentsOf: file, encoding: .utf8).components(separatedBy: "\n")
    for entry in ScannerDatabase.carried.entries {
      let above = lines[..<(entry.line - 1)].last { $0.hasPrefix("#") }
      let words = ["usb.ids", "Linux", "github.com", "published", "Public", "public", "Integration Guide", "README"]
      expect(words.contains { above?.contains($0) == true }, "line \(entry.line): \(above ?? "nothing")")
    }
  }

  /// A rule may give the service's group what has a model and is not shared: never a whole vendor, which makes keyboards too.
  @Test func aWholeVendorHasNoModel() {
    for entry in ScannerDatabase.carried.entries where entry.product == nil {
      expectEqual(entry.model, ScannerModel(vendor: entry.model.vendor), "line \(entry.line)")
    }
  }

  @Test func aProductSaysMoreThanItsVendor() throws {
    let database = ScannerDatabase.carried
    let known = try #require(database.model(vendor: 0x1eab, product: 0x8210))
    expect(known.mode == .hidPOS && known.vendor == "Newland" && known.cure?.contains("USB HID-KBW") == true)
    let unknown = try #require(database.model(vendor: 0x0c2e, product: 0xffff))
    expectEqual(unknown, ScannerModel(vendor: "Honeywell"))
    expectEqual(unknown.title, "Honeywell scanner")
    expect(database.model(vendor: 0x046d, product: 0xc31c) == nil)
    expect(database.model(vendor: nil, product: 0x0901) == nil)
    expectEqual(database.model(vendor: 0x05fe, product: 0x1010)?.isShared, true)
  }

  @Test(arguments: [
    ("usb:v0c2ep0901*\n SCANGATE_VENDOR=A\n", "1: write usb:vVVVVpPPPP* with ids in capitals"),
    ("usb:v0C2Ep090*\n SCANGATE_VENDOR=A\n", "1: write usb:vVVVVpPPPP* with ids in capitals"),
    ("usb:v0C2Ep0901\n SCANGATE_VENDOR=A\n", "1: write usb:vVVVVpPPPP* with ids in capitals"),
    ("usb:\n SCANGATE_VENDOR=A\n", "1: write usb:vVVVVpPPPP* with ids in capitals"),
    ("usb:v0C2Ep0901*\n", "1: SCANGATE_VENDOR is missing"),
    ("usb:v0C2Ep0901*\n SCANGATE_VENDOR=A\n SCANGATE_MODE=wedge\n", "1: there is no such SCANGATE_MODE"),
    ("usb:v0C2Ep0901*\n SCANGATE_VENDOR=A\n SCANGATE_SHARED=0\n", "1: SCANGATE_SHARED is 1 or absent"),
    ("usb:v0C2Ep0901*\n SCANGATE_VENDOR=A\n SCANGATE_VENDOR=B\n", "3: SCANGATE_VENDOR is there twice"),
    ("usb:v0C2Ep0901*\n ID_VENDOR=A\n SCANGATE_VENDOR=A\n", "2: there is no property ID_VENDOR"),
    ("usb:v0C2Ep0901*\n SCANGATE_VENDOR=\n SCANGATE_VENDOR=A\n", "2: write KEY=value"),
    (" SCANGATE_VENDOR=A\n", "1: a property without a match"),
    (
      "usb:v0C2Ep0901*\n SCANGATE_VENDOR=A\nusb:v0C2Ep0902*\n", "3: a match must follow an empty line"
    ),
    (
      "usb:v0C2Ep0901*\n SCANGATE_VENDOR=A\n\nusb:v0C2Ep0901*\n SCANGATE_VENDOR=A\n", "4: this id is there twice"
    ),
  ]) func aFaultIsToldWithItsLine(_ text: String, _ problem: String) {
    expectEqual(ScannerDatabase(text).problems, [problem])
  }

  @Test func anyTextIsRead() {
    var generator = SystemRandomNumberGenerator()
    let pieces = ["usb:v", "0C2E", "p", "0901", "*", "\n", " ", "SCANGATE_", "VENDOR", "MODE", "=", "#", "\u{e9}", "x"]
    for _ in 0..<2_000 {
      let text = (0..<Int.random(in: 0..<40, using: &generator)).compactMap { _ in
        pieces.randomElement(using: &generator)
      }.joined()
      for entry in ScannerDatabase(text).entries { expect(!entry.model.vendor.isEmpty, "\(text)") }
    }
  }

  /// systemd's own tool takes the file without a word, and answers as we do.
  @Test func systemdReadsItAlike() throws {
    let paths = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    guard
      let tool = (paths + ["/usr/bin", "/bin"]).map({ $0 + "/systemd-hwdb" }).first(where: {
        FileManager.default.isExecutableFile(atPath: $0)
      })
    else { return }
    let root = FileManager.default.temporaryDirectory.appending(path: "scangate-hwdb-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: root) }
    let folder = root.appending(path: "etc/udev/hwdb.d")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(at: file, to: folder.appending(path: file.lastPathComponent))
    let update = try run(tool, ["update", "--strict", "--root=\(root.path)"])
    expect(update.status == 0 && update.output.isEmpty, "\(update.output)")
    // Each query is a process: some entries of each kind stand for all.
    for entry in ScannerDatabase.carried.entries.enumerated().filter({ $0.offset % 9 == 0 }).map(\.element) {
      func hex(_ value: UInt16) -> String {
        String(String(UInt32(value) + 0x10000, radix: 16).dropFirst()).uppercased()
      }
      let product = entry.product ?? 0xfffe
      let query = try run(
        tool, ["query", "--root=\(root.path)", "usb:v\(hex(entry.vendor))p\(hex(product))d0100dc00dsc00dp00"])
      var expected: Set<String> = ["SCANGATE_VENDOR=\(entry.model.vendor)"]
      if let model = entry.model.model { expected.insert("SCANGATE_MODEL=\(model)") }
      if let mode = entry.model.mode { expected.insert("SCANGATE_MODE=\(mode.rawValue)") }
      if entry.model.isShared { expected.insert("SCANGATE_SHARED=1") }
      if let cure = entry.model.cure { expected.insert("SCANGATE_CURE=\(cure)") }
      expectEqual(Set(query.output.split(separator: "\n").map(String.init)), expected, "line \(entry.line)")
    }
  }

  private func run(_ tool: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: tool)
    process.arguments = arguments
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, output)
  }
}
