import Expectations
import Foundation
import Testing
import VenueServer

/// Every command of the office, as `docs/membership-transcript.md` shows it; `UPDATE_DOCS=1` writes that anew.
@Suite struct OfficeTranscriptTests {
  @Test func theDocumentShowsWhatTheCommandsPrint() async throws {
    var text = """
      # The membership office: every command

      Written by a test from what the commands print, against the venue's subscription service of the real shape; the last part is the document's.
      What standard error shows is marked by `!`, an exit status other than 0 is told after the output. The service is the only one of the
      configuration: where there are several, `--system` says which.

      """
    try await OfficeVenue.with(.real) { office in
      let transcript = Transcript(office)
      try await transcript.play()
      text += transcript.text
    }
    try await OfficeVenue.with(.document) { office in
      let transcript = Transcript(office)
      try await transcript.playDocument()
      text += transcript.text
    }
    try TranscriptDocument.expect(text, in: "docs/membership-transcript.md")
  }
}

/// An office's morning.
private final class Transcript {
  private let office: OfficeVenue
  private(set) var text = ""

  init(_ office: OfficeVenue) { self.office = office }

  func play() async throws {
    let ann = try await office.server.sell(
      NewSubscription(
        id: "30000781417036", tier: .premium, purchased: "2025-01-31T11:55:00Z", expires: "-5min", isKnown: false))
    _ = try await office.server.sell(
      NewSubscription(
        id: "1000000619244062", environment: .sandbox, purchased: "-10min", expires: "-5min", renews: false))
    for account in [OfficeVenue.account, OfficeVenue.other] {
      try await office.server.addMembership(NewMembership(ftcID: account))
    }
    chapter("A receipt")
    _ = try office.file(ann.receipt, "ann.receipt")
    try await run(["verify", "--receipt", "ann.receipt"])
    try await run(["add", "--receipt", "ann.receipt"])
    try await run(["receipt", ann.id, "--file", "kept.receipt"])
    let wrong = try await office.server.sell(NewSubscription(environment: .sandbox, isKnown: false))
    _ = try office.file(wrong.receipt, "test.receipt")
    try await run(["add", "--receipt", "test.receipt"])
    chapter("A subscription")
    try await run(["show", ann.id])
    try await run(["show", "30000781417037"])
    try await office.server.renewSubscription(ann.id)
    try await run(["refresh", ann.id])
    chapter("A link")
    try await run(["explain"])
    try await run(["explain", "--ftc", "active", "--iap", "none", "--json"])
    try await run(["link", OfficeVenue.account, ann.id])
    try await run(["link", OfficeVenue.other, ann.id])
    try await run(["list"])
    try await run(["list", "--user", OfficeVenue.account])
    try await run(["unlink", OfficeVenue.account, ann.id, "--yes"])
    chapter("An answer that is lost")
    office.server.misbehave([try Misbehaviour("close=after,on=desk")])
    try await run(["link", OfficeVenue.account, ann.id])
    office.server.misbehave([], clearing: true)
    chapter("A token that is not good any more")
    try await office.server.changeAccessTokens(.expired)
    try await run(["show", ann.id])
  }

  func playDocument() async throws {
    chapter("A service that follows the document")
    let bob = try await office.server.sell(NewSubscription(id: "30000781417036", expires: "2026-02-20T18:00:00Z"))
    for account in [OfficeVenue.account, OfficeVenue.other] {
      try await office.server.addMembership(NewMembership(ftcID: account))
    }
    try await run(["list"])
    try await run(["link", OfficeVenue.account, bob.id, "--json"])
    try await run(["link", OfficeVenue.other, bob.id])
    try await run(["unlink", OfficeVenue.account, bob.id, "--yes", "--json"])
  }

  private func chapter(_ title: String) { text += "\n## \(title)\n" }

  /// Runs a command, and writes down what it shows; files are of the test's folder, the port is another one each time.
  private func run(_ arguments: [String]) async throws {
    let shown = TranscriptDocument.line(["scangate", "membership"] + arguments)
    var given = arguments
    for (index, argument) in arguments.enumerated() where argument.hasSuffix(".receipt") {
      given[index] = office.folder.path + "/" + argument
    }
    let result =
      arguments.first == "explain"
      ? try await Program.run(["membership"] + arguments) : try await office.run(given)
    text += "\n```\n\(plain(TranscriptDocument.block(shown, result)))```\n"
  }

  private func plain(_ text: String) -> String {
    let host = office.address.replacing("http://", with: "")
    return text.replacing(office.folder.path + "/", with: "").replacing(host, with: "venue.example")
      .replacing(/\b[0-9]{15}\b/) { _ in "490001234567890" }
  }
}
