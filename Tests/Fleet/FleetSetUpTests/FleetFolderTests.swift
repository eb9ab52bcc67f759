import Expectations
import FleetBook
import Foundation
import JetStreamClaims
import Testing

@testable import FleetSetUp

@Suite struct FleetFolderTests {
  private func mode(_ path: String) throws -> Int {
    try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
  }

  private func files(_ folder: String) throws -> [String: Data] {
    var files: [String: Data] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder) {
      files[path] = FileManager.default.contents(atPath: "\(folder)/\(path)")
    }
    return files
  }

  @Test func keysAreTheirOwnersAloneAndFoldersToo() throws {
    try inFleet { place, change in
      try expectEqual(mode(place.path), 0o700)
      for folder in ["keep", "servers", "servers/gate1", "stations", "stations/north"] {
        try expectEqual(mode("\(place.path)/\(folder)"), 0o700, "\(folder)")
      }
      for file in change.files {
        try expectEqual(mode("\(place.path)/\(file.path)"), Int(file.mode), "\(file.path)")
        expectEqual(FileManager.default.contents(atPath: "\(place.path)/\(file.path)"), Data(file.bytes))
      }
      try expectEqual(mode(place.path + "/fleet.json"), 0o644)
      let left = try FileManager.default.subpathsOfDirectory(atPath: place.path).filter { $0.hasSuffix(".new") }
      expectEqual(left, [])
    }
  }

  @Test func whatIsThereIsNotOverwritten() throws {
    try inFleet { place, change in
      let before = try files(place.path)
      for path in [place.path, place.path + "/", place.path + "//"] {
        do throws(FleetFault) {
          try FleetFolder(path).make(change)
          Issue.record("\(path) was made anew")
        } catch { expect(error.kind == .output && error.description.contains("not overwritten"), "\(error)") }
      }
      try expectEqual(files(place.path), before)
      // Nor is a file or a link of that name.
      let file = place.path + ".file"
      try Data("mine".utf8).write(to: URL(filePath: file))
      let link = place.path + ".link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "nowhere")
      for path in [file, link] { expect((try? FleetFolder(path).make(change)) == nil) }
      expectEqual(FileManager.default.contents(atPath: file), Data("mine".utf8))
    }
  }

  /// What cannot be written wholly is not there.
  @Test func nothingIsLeftOfOneThatCouldNotBeMade() throws {
    try inTemporaryFolder { folder in
      let change = try FleetChange.making(try wish(), at: made)
      let tooLong = FleetChange(
        layout: change.layout, files: change.files + [FleetFile("keep/" + String(repeating: "a", count: 300), "x")],
        removed: [], steps: [])
      do throws(FleetFault) {
        try FleetFolder(folder + "/summer").make(tooLong)
        Issue.record("it was made")
      } catch { expect(error.kind == .output) }
      try expectEqual(FileManager.default.contentsOfDirectory(atPath: folder), [])
      expect((try? FleetFolder(folder + "/no/such/folder").make(change)) == nil)
    }
  }

  @Test func itIsReadAsItWasMade() throws {
    try inFleet { place, change in
      let layout = try place.layout()
      expectEqual(layout, change.layout)
      let secrets = try place.secrets(layout)
      expectEqual(secrets.administrator.user, layout.administrators.first)
      expectEqual(secrets.stations.count, 2)
      try expectEqual(secrets.believed(layout), change.file("keep/authority-1.pem").bytes)
      expectEqual("\(secrets)", "a fleet's secrets")
      let settings = try place.settings(layout)
      expectEqual(settings.bucket, "fair-2026")
      expectEqual(settings.replicas, 3)
      expectEqual(settings.mark, try change.credential("north").key.mark)
      expectEqual(settings.servers.map(\.description), ["gate1:4222", "gate2.venue.example:4222", "10.0.0.13:4222"])
      expectEqual(settings.credential.user, layout.administrators.first)
      let order = FleetOrder(number: 1, isMaintenance: true, who: "Anna", why: "fire", at: made)
      let bytes = try place.signed(order, for: "fair-2026", layout)
      let seal = FleetOrderSeal(event: "fair-2026", administrators: layout.administratorKeys)
      expectEqual(seal.open(bytes), .known(order))
    }
  }

  @Test func whatIsNotWhatItWasIsToldByItsFile() throws {
    func fault(_ spoil: (String) throws -> Void) throws -> String {
      var words = ""
      try inFleet { place, _ in
        try spoil(place.path)
        do throws(FleetFault) { _ = try place.secrets(place.layout()) } catch { words = error.description }
      }
      return words
    }
    func write(_ text: String, _ path: String) throws {
      // In its place, with its mode.
      let file = try FileHandle(forWritingTo: URL(filePath: path))
      try file.truncate(atOffset: 0)
      try file.write(contentsOf: Data(text.utf8))
      try file.close()
    }
    for file in ["keep/fleet.key", "keep/administrator", "keep/authority-1.key", "stations/north/credential"] {
      let words = try fault { try write("junk\n", "\($0)/\(file)") }
      expect(words.contains(file) && !words.contains("junk"), "\(words)")
      let open = try fault {
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: "\($0)/\(file)")
      }
      expect(open.contains("\(file) can be read by others"), "\(open)")
    }
    let gone = try fault { try FileManager.default.removeItem(atPath: $0 + "/keep/fleet.key") }
    expect(gone.contains("keep/fleet.key cannot be read"), "\(gone)")
    let mixed = try fault {
      try write(
        try String(contentsOfFile: $0 + "/stations/south/credential", encoding: .utf8),
        $0 + "/stations/north/credential")
    }
    expect(mixed.contains("the credential of this fleet's station north"), "\(mixed)")
    let long = try fault { try write(String(repeating: "a", count: 300_000), $0 + "/fleet.json") }
    expect(long.contains("too long"), "\(long)")
    // One that was taken away on purpose is missed only where it is needed.
    try expectEqual(fault { try FileManager.default.removeItem(atPath: $0 + "/stations/north/credential") }, "")
  }
}
