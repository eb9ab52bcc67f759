import Expectations
import FleetBook
import JetStreamClaims
import LibCrypto
import ScanModel
import Testing

@testable import FleetSetUp

/// The code by which a station becomes one of its fleet.
@Suite struct FleetInvitationTests {
  private static let end = WallTime(seconds: made.seconds + 1_800)

  private func invitation(_ change: (inout FleetWish) throws -> Void = { _ in }) throws -> FleetInvitation {
    let change = try FleetChange.making(wish(change), at: made)
    let secrets = FleetSecrets(
      authorities: [
        1: try #require(
          CertificateAuthority(
            certificate: change.file("keep/authority-1.pem").bytes,
            privateKey: change.file("keep/authority-1.key").bytes))
      ], administrator: try FleetSecrets.key(), key: String(try change.text("keep/fleet.key").dropLast()),
      stations: [try station("north"): try change.credential("north")])
    return try FleetInvitation.inviting(station("north"), change.layout, secrets, until: Self.end)
  }

  private func fault(_ text: String, _ word: String, at now: WallTime = made) -> FleetInvitation.Fault? {
    do throws(FleetInvitation.Fault) {
      _ = try FleetInvitation(text, by: word, at: now)
      return nil
    } catch { return error }
  }

  @Test func whatGoesInComesOut() throws {
    let invitation = try invitation()
    let word = FleetInvitation.word()
    let text = try #require(invitation.text(by: word))
    let read = try FleetInvitation(text, by: word, at: made)
    expectEqual(read, invitation)
    expect(read.authority.hasPrefix("-----BEGIN CERTIFICATE-----\n") && read.authority.hasSuffix("-----\n"))
    // As its own folder's section, word for word but for its first line, which is for people.
    let change = try FleetChange.making(wish(), at: made)
    let section = try change.text("stations/north/fleet.yaml").split(separator: "\n").dropFirst()
    expectEqual(
      read.section.split(separator: "\n").filter { !$0.hasPrefix("    ") && !$0.hasPrefix("  administrators") },
      section.filter { !$0.hasPrefix("    ") && !$0.hasPrefix("  administrators") })
    expectEqual(stations(inSection: read.section).count, 2)
    expect(read.administrators.count == 1 && read.section.contains(StationKeyText.text(read.administrators[0])))
    // However a scanner types it and people write the word.
    let typed = text.lowercased().enumerated().map { $0.offset % 100 == 99 ? "\($0.element)\r\n" : "\($0.element)" }
    try expectEqual(
      FleetInvitation(
        typed.joined(), by: " \(word.lowercased().replacing("-", with: " ")) ", at: made), invitation)
  }

  /// It is for a scanner: only what a QR code writes briefly, and no part of any secret.
  @Test func itIsWhatAQRCodeHolds() throws {
    let invitation = try invitation()
    let text = try #require(invitation.text(by: FleetInvitation.word()))
    let letters = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-:".utf8)
    expect(text.utf8.allSatisfy { letters.contains($0) })
    expect(!text.contains(invitation.credential.toBeSealed))
    // The largest code with error correction of level M has 3,391 of these.
    expect(text.utf8.count < 3_391, "\(text.utf8.count)")
    // All 200 stations of the largest fleet fit the text, and no code.
    let most = try self.invitation { wish in
      wish.stations = try [station("north")] + (1..<200).map { try station("a-gate-with-a-longer-name-\($0)") }
    }
    let long = try #require(most.text(by: FleetInvitation.word()))
    expect(long.utf8.count <= FleetInvitation.longest, "\(long.utf8.count)")
  }

  @Test func whatIsNoneIsRefused() throws {
    let word = "ABCD-EFGH-2345"
    let text = try #require(try invitation().text(by: word))
    expectEqual(fault(text, "ABCD-EFGH-2346"), .word)
    expectEqual(fault(text, "ABCD"), .word)
    expectEqual(fault(text, ""), .word)
    expectEqual(fault(text, word, at: Self.end), .expired(Self.end))
    expectEqual(fault("", word), .damaged)
    expectEqual(fault(FleetInvitation.prefix, word), .damaged)
    expectEqual(fault(text + "A", word) == nil, false)
    expectEqual(fault(String(text.dropLast(8)), word) == nil, false)
    expectEqual(fault("X" + text, word), .damaged)
    expectEqual(fault(FleetInvitation.prefix + String(repeating: "A", count: 50_000), word), .damaged)
    // One letter that was read as another one.
    let place = text.index(text.startIndex, offsetBy: 200)
    let other = text[..<place] + (text[place] == "A" ? "B" : "A") + text[text.index(after: place)...]
    expectEqual(fault(String(other), word), .word)
  }

  @Test func wordsAreDrawnEachTime() {
    let words = Set((0..<100).map { _ in FleetInvitation.word() })
    expectEqual(words.count, 100)
    expect(words.allSatisfy { $0.utf8.count == 14 && $0.split(separator: "-").map(\.count) == [4, 4, 4] })
  }

  @Test func whoIsNoStationIsNotInvited() throws {
    try inFleet { place, _ in
      let layout = try place.layout()
      #expect(throws: FleetFault.self) {
        try FleetInvitation.inviting(station("west"), layout, place.secrets(layout), until: Self.end)
      }
      try place.rotate(.revoke(station("north")))
      let after = try place.layout()
      #expect(throws: FleetFault.self) {
        try FleetInvitation.inviting(station("north"), after, place.secrets(after), until: Self.end)
      }
    }
  }
}
