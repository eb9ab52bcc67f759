import Expectations
import Foundation
import ScanModel
import Sealing
import Testing
import VenueServer

/// A venue's subscription service over real HTTP, and the office's commands against it.
struct OfficeVenue {
  static let account = "748bc0c8-f778-4616-8dff-7f4a8f4dd411"
  static let other = "d815e143-053c-4460-bf2b-91a4854e59a3"

  let server: VenueServer
  let token: String
  /// Without the path of the API.
  let address: String
  /// Of this test alone; receipts and what is written lie here.
  let folder: URL

  /// Runs `body` with a service of a shape, at noon of a certain day.
  static func with(
    _ shape: SubscriptionShape, misbehaviours: [String] = [], at time: String = "2026-01-31T12:00:00Z",
    _ body: (OfficeVenue) async throws -> Void
  ) async throws {
    let now = try Date(time, strategy: .iso8601)
    let server = try VenueServer(
      VenueConfiguration(
        failureDelay: .zero, now: { now }, misbehaviours: try misbehaviours.map { try Misbehaviour($0) },
        subscriptionShape: shape))
    let token = try await server.issueAccessToken()
    let (ready, tell) = AsyncStream.makeStream(of: VenueAddress.self)
    let serving = Task {
      defer { tell.finish() }
      try await server.run { tell.yield($0) }
    }
    let address = try #require(await ready.first { _ in true })
    let folder = try temporaryFolder()
    let state = folder.path + "/state"
    try FileManager.default.createDirectory(
      atPath: state, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try CredentialStore(keys: SealKeySource(state: state, given: nil)).set("ftc", PastedSecret(Array(token.utf8)))
    var outcome = Result<Void, any Error>.success(())
    do {
      try await body(OfficeVenue(server: server, token: token, address: address.url, folder: folder))
    } catch {
      outcome = .failure(error)
    }
    serving.cancel()
    _ = await serving.result
    try? FileManager.default.removeItem(at: folder)
    try outcome.get()
  }

  /// Runs a command; no token and nothing that steers a terminal is ever in what it prints.
  func run(_ arguments: [String], base: String = "/api/v1", input: String = "") async throws -> Program.Result {
    let result = try await Program.run(
      ["membership"] + arguments + [
        "--server", address + base, "--token", "ftc", "--state", folder.path + "/state",
      ], input: [UInt8](input.utf8), environment: ["TZ": "UTC"])
    let all = result.output + result.errors
    expect(!all.contains(token), "\(all)")
    expect(
      all.split(separator: "\n").allSatisfy { $0.unicodeScalars.allSatisfy { TerminalText.isHarmless($0) } }, "\(all)")
    return result
  }

  /// A file with a receipt in it, in lines as `base64` prints them.
  func file(_ receipt: String, _ name: String = "a.receipt") throws -> String {
    let path = folder.path + "/" + name
    var lines: [Substring] = []
    var rest = Substring(receipt)
    while !rest.isEmpty {
      lines.append(rest.prefix(76))
      rest = rest.dropFirst(76)
    }
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: URL(filePath: path))
    return path
  }

  func link(_ account: String, _ id: String) async throws {
    try await server.addMembership(NewMembership(ftcID: account))
    let result = try await run(["link", account, id])
    expectEqual(result.status, 0, "\(result.errors)")
  }
}

extension Program.Result {
  /// Lines of standard output, read as JSON objects.
  var objects: [[String: Any]] {
    lines.compactMap { try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any] }
  }
}
