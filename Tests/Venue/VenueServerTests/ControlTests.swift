import Expectations
import Foundation
import NIOHTTP1
import Testing

@testable import VenueServer

@Suite struct ControlTests {
  private func withControl(
    storage: (String) -> VenueConfiguration.Storage = { _ in .memory },
    _ body: (RunningVenue, VenueControlClient, String) async throws -> Void
  ) async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/control.sock"
      let configuration = VenueConfiguration(
        storage: storage(directory), failureDelay: .zero, controlSocket: path)
      try await withVenue(configuration) { venue in try await body(venue, VenueControlClient(path: path), directory) }
      expect(!FileManager.default.fileExists(atPath: path))
    }
  }

  @Test func aVenueIsSwitchedWhileItServes() async throws {
    try await withControl { venue, control, _ in
      let code = try venue.code(.entry)
      expect(try await control.misbehaviours().isEmpty)
      let first = try await control.misbehave([try Misbehaviour("status=503")])
      expectEqual(first, ["status=503  (hits: 0)"])
      try await expectEqual(venue.scan(code).status, 503)
      let second = try await control.misbehave([try Misbehaviour("clock=1h")])
      expectEqual(second, ["status=503  (hits: 1)", "clock=3600s  (hits: 0)"])
      let cleared = try await control.misbehave([try Misbehaviour("html")], clearing: true)
      expectEqual(cleared, ["html  (hits: 0)"])
      try await expectEqual(venue.scan(code).status, 200)
      expect(try await control.misbehave([], clearing: true).isEmpty)
      try await expectEqual(venue.scan(code).status, 201)
    }
  }

  @Test func theBookIsTheSameBySocketByFileAndFromWithin() async throws {
    try await withControl(storage: { .file($0 + "/venue.sqlite") }) { venue, control, directory in
      _ = try await venue.scan(try venue.code(.entry))
      _ = try await venue.post(#"{"code":"\#(try venue.code(.sale))","seat_number":"A \"7\" é"}"#)
      let book = try await venue.server.book()
      expectEqual(book.count, 2)
      try await expectEqual(control.book(), book)
      try await expectEqual(VenueServer.book(ofFile: directory + "/venue.sqlite"), book)
    }
  }

  /// What happens to a ticket while a gate is offline, and what its book then tells of each ticket.
  @Test func aTicketIsRefundedWhileItServes() async throws {
    try await withControl(storage: { .file($0 + "/venue.sqlite") }) { venue, control, directory in
      let (entry, sale) = (try venue.code(.entry), try venue.code(.sale))
      for _ in 0..<3 { try await expectEqual(venue.scan(sale).status, 201) }
      try await expectEqual(venue.scan(entry).status, 201)
      try await control.setStatus(.refunded, ofCode: sale)
      try await control.setStatus(.cancelled, ofCode: entry)
      expect(try await venue.scan(sale).text.contains("refunded"))
      expect(try await venue.scan(entry).text.contains("cancelled"))

      let tickets = try await control.tickets()
      expectEqual(tickets.count, venue.seeded.tickets.count)
      let booked = try #require(tickets.first { $0.code == sale })
      expect(booked.isSale && booked.status == .refunded && booked.quantity == 2 && booked.entries == 3)
      let printed = try #require(tickets.first { $0.code == entry })
      expect(!printed.isSale && printed.status == .cancelled && printed.quantity == 1 && printed.entries == 1)
      expect(tickets.filter { $0.code != sale && $0.code != entry }.allSatisfy { $0.entries == 0 })
      try await expectEqual(venue.server.tickets(), tickets)
      try await expectEqual(VenueServer.tickets(ofFile: directory + "/venue.sqlite"), tickets)

      try await control.setStatus(.deleted, ofCode: sale)
      try await expectEqual(venue.scan(sale).status, 404)
      try await control.setStatus(.paid, ofCode: sale)
      try await expectEqual(venue.scan(sale).status, 201)
      try await expectEqual(venue.server.book().count, 5)
    }
  }

  @Test func aStatusThatCannotBeGivenChangesNothing() async throws {
    try await withControl { venue, control, _ in
      let before = try await control.tickets()
      let error = try await #require(throws: VenueError.self) {
        try await control.setStatus(.refunded, ofCode: "no-such-ticket-anywhere")
      }
      expect(error.description.contains("no ticket has this code"))
      expect(!error.description.contains("no-such-ticket"))
      let code = try venue.code(.entry)
      for body in ["", "refunded", "lost\n\(code)", code, "\n\n"] {
        let error = try await #require(throws: VenueError.self) { try await control.ask(.PUT, "status", body) }
        expect(error.description.contains("a status and a code are wanted"))
      }
      try await expectEqual(control.tickets(), before)
    }
  }

  @Test func noFileIsMadeWhereThereIsNoBook() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/absent.sqlite"
      await #expect(throws: VenueError.self) { try await VenueServer.book(ofFile: path) }
      expect(!FileManager.default.fileExists(atPath: path))
      let empty = directory + "/empty.sqlite"
      try Data().write(to: URL(filePath: empty))
      await #expect(throws: VenueError.notAVenue(path: empty)) { try await VenueServer.book(ofFile: empty) }
      expect(try Data(contentsOf: URL(filePath: empty)).isEmpty)
    }
  }

  @Test func ticketsKeysDoNotLeadThere() async throws {
    try await withControl { venue, control, _ in
      for path in ["/misbehaviours", "/book", "/tickets", "/status", "/api/misbehaviours", "/api/book"] {
        let (read, written) = (try await venue.get(path), try await venue.post("html", to: path))
        expectEqual(read.status, 404)
        expectEqual(written.status, 404)
      }
      expect(try await control.misbehaviours().isEmpty)
    }
  }

  @Test func onlyItsOwnerMayOpenTheSocket() async throws {
    try await withControl { _, _, directory in
      let attributes = try FileManager.default.attributesOfItem(atPath: directory + "/control.sock")
      expect(attributes[.posixPermissions] as? Int == 0o600)
    }
  }

  @Test func oneBadLineChangesNothing() async throws {
    try await withControl { venue, control, _ in
      _ = try await control.misbehave([try Misbehaviour("html")])
      let error = try await #require(throws: VenueError.self) {
        try await control.ask(.PUT, "misbehaviours", "status=503\nstatus=600")
      }
      expect(error.description.contains("400 status wants one of 401"))
      try await expectEqual(control.misbehaviours(), ["html  (hits: 0)"])
      try await expectEqual(venue.scan(try venue.code(.entry)).status, 200)
    }
  }

  @Test func aSocketInUseIsLeftAloneAndADeadOneReplaced() async throws {
    try await withControl { venue, control, directory in
      let path = directory + "/control.sock"
      let second = try VenueServer(VenueConfiguration(controlSocket: path))
      let error = try await #require(throws: VenueError.self) { try await second.run() }
      expect(error.description.contains("another venue listens there"))
      expect(try await control.misbehaviours().isEmpty)

      let file = directory + "/file"
      try Data("mine".utf8).write(to: URL(filePath: file))
      let third = try VenueServer(VenueConfiguration(controlSocket: file))
      let refusal = try await #require(throws: VenueError.self) { try await third.run() }
      expect(refusal.description.contains("no socket"))
      try expectEqual(String(contentsOfFile: file, encoding: .utf8), "mine")

      let dead = directory + "/dead.sock"
      expect(bindAndForget(dead))
      try await withVenue(VenueConfiguration(controlSocket: dead)) { _ in
        let inForce = try await VenueControlClient(path: dead).misbehaviours()
        expect(inForce.isEmpty)
      }
    }
  }

  @Test func nobodyThereIsExplained() async throws {
    try await withTemporaryDirectory { directory in
      let path = directory + "/nobody.sock"
      let error = try await #require(throws: VenueError.self) { try await VenueControlClient(path: path).book() }
      expect(error.description.contains("--control \(path)"))
      let long = directory + "/" + String(repeating: "x", count: 120)
      let server = try VenueServer(VenueConfiguration(controlSocket: long))
      let refusal = try await #require(throws: VenueError.self) { try await server.run() }
      expect(refusal.description.contains("107 bytes"))
    }
  }

  /// A socket file of which nobody listens.
  private func bindAndForget(_ path: String) -> Bool {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size)) == 0
      }
    }
  }
}
