import Expectations
import FleetBook
import Foundation
import JetStreamClaims
import ScanModel
import Testing

@testable import FleetSetUp

/// When everything is made here.
let made = WallTime(seconds: 1_800_000_000)

func node(_ text: String) throws -> FleetNode { try #require(FleetNode(text), "\(text)") }

func station(_ name: String) throws -> StationID { try #require(StationID(name)) }

/// Three servers, two stations on machines of their own.
func wish(_ change: (inout FleetWish) throws -> Void = { _ in }) throws -> FleetWish {
  var wish = FleetWish(
    name: "summer", nodes: try ["gate1", "gate2.venue.example", "gate3=10.0.0.13"].map { try node($0) })
  wish.event = "fair-2026"
  wish.stations = [try station("north"), try station("south")]
  try change(&wish)
  return wish
}

/// Why it is not made.
func fault(_ change: (inout FleetWish) throws -> Void) throws -> String {
  do throws(FleetFault) {
    _ = try FleetChange.making(wishOrEmpty(change), at: made)
    return ""
  } catch { return error.description }
}

private func wishOrEmpty(_ change: (inout FleetWish) throws -> Void) -> FleetWish {
  (try? wish(change)) ?? FleetWish(name: "", nodes: [])
}

/// What a station says of itself.
func word(
  _ name: String, in admitted: UInt64 = 0, out left: UInt64 = 0, _ change: (inout StationWord) -> Void = { _ in }
) throws -> KnownWord {
  var word = StationWord(
    program: "1.4.0", systems: [.init(address: 1, scope: 2)], zone: .init(january: 3_600, july: 7_200),
    count: .init(admitted: admitted, left: left))
  change(&word)
  return KnownWord(station: try station(name), word: word, revision: ClaimRevision(5), time: made)
}

extension FleetChange {
  func file(_ path: String) throws -> FleetFile { try #require(files.first { $0.path == path }, "\(path)") }

  func text(_ path: String) throws -> String { String(decoding: try file(path).bytes, as: UTF8.self) }

  func server(_ name: String) throws -> ServerText { try ServerText(file("servers/\(name)/nats-server.conf").bytes) }

  func credential(_ name: String) throws -> FleetCredential {
    let text = try text("stations/\(name)/credential")
    return try #require(FleetCredential(String(text.dropLast())))
  }
}

/// The stations that a section of a configuration names, and their keys as it has them.
func stations(inSection text: String) -> [String: String] {
  var stations: [String: String] = [:]
  var isList = false
  for line in text.split(separator: "\n") {
    if isList, line.hasPrefix("    ") {
      let parts = line.split(separator: ":").map { $0.filter { !" \"".contains($0) } }
      if parts.count == 2 { stations[parts[0]] = parts[1] }
    } else {
      isList = line == "  stations:"
    }
  }
  return stations
}

/// A folder of its own for `body`, which goes afterwards.
func inTemporaryFolder(_ body: (String) throws -> Void) throws {
  let folder = "\(temporaryRoot)/scangate-fleet-\(UUID().uuidString)"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  defer { try? FileManager.default.removeItem(atPath: folder) }
  try body(folder)
}

/// A fleet that was made in a folder.
func inFleet(
  _ body: (FleetFolder, FleetChange) throws -> Void
) throws {
  try inTemporaryFolder { folder in
    let change = try FleetChange.making(try wish(), at: made)
    let place = FleetFolder(folder + "/summer")
    try place.make(change)
    try body(place, change)
  }
}

extension FleetFolder {
  /// Changes the fleet that is in it.
  @discardableResult func rotate(_ rotation: FleetRotation, at now: WallTime = made) throws -> FleetChange {
    let layout = try layout()
    let change = try FleetChange.rotating(rotation, layout, secrets(layout), at: now)
    try apply(change)
    return change
  }

  func text(_ file: String) throws -> String { try String(contentsOfFile: "\(path)/\(file)", encoding: .utf8) }

  func server(_ name: String) throws -> ServerText {
    try ServerText(Array(text("servers/\(name)/nats-server.conf").utf8))
  }

  /// The keys that a server takes: who may do what stations do, and who everything.
  func users(_ name: String) throws -> (stations: [String], administrators: [String]) {
    let users = try #require(try server(name)["accounts"]?["FLEET"]?["users"]?.list)
    let bounded = users.filter { $0["permissions"] != nil }
    let free = users.filter { $0["permissions"] == nil }
    return (bounded.compactMap { $0["nkey"]?.text }, free.compactMap { $0["nkey"]?.text })
  }

  func credential(_ name: String) throws -> FleetCredential {
    try #require(FleetCredential(String(text("stations/\(name)/credential").dropLast())))
  }
}

/// What openssl itself says.
func openssl(_ arguments: String...) throws -> (status: Int32, text: String) {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/openssl")
  process.arguments = arguments
  let output = Pipe()
  process.standardOutput = output
  process.standardError = output
  try process.run()
  let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
  process.waitUntilExit()
  return (process.terminationStatus, text)
}

/// Whether a server's certificate is one that is believed by these, for a host.
func believes(_ authority: String, _ certificate: String, _ check: String...) throws -> Bool {
  let process = Process()
  process.executableURL = URL(filePath: "/usr/bin/openssl")
  process.arguments =
    ["verify", "-x509_strict", "-attime", "1800000001", "-CAfile", authority] + check + [certificate]
  process.standardOutput = Pipe()
  process.standardError = Pipe()
  try process.run()
  process.waitUntilExit()
  return process.terminationStatus == 0
}
