import ArgumentParser
import Gateway
import Glibc
import LinuxIO
import Logging
import ScanModel
import ServiceLifecycle
import TicketSystemKit
import UnixSignals
package import VenueServer

/// `scangate venue`: an embedded ticket system, for training and tests.
struct VenueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "venue", abstract: "An embedded ticket system for training and tests.",
    subcommands: [
      Serve.self, Misbehave.self, Ticket.self, Book.self, Codes.self, MakeActivationCode.self, MakeEnrolment.self,
      Kiosk.self, Subscription.self, Membership.self, SignedTicket.self, Booking.self,
    ])

  /// `scangate venue serve`
  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve", abstract: "Serve the ticket scanning API from a SQLite file.",
      discussion: """
        A client's API key is read from --api-key-file; when that file does not exist, a fresh key is made and written to \
        it, readable by you alone. Without the option a fresh key is printed once.
        """)

    @Option(
      help: "Address and port to listen on. Without --certificate the venue speaks plain HTTP: keep it on loopback.")
    var listen = "127.0.0.1:8080"

    @Option(
      help: ArgumentHelp(
        "The SQLite file; created when absent. Without it nothing outlives the process.", valueName: "file"))
    var database: String?

    @Flag(help: "Make an event of today with a ticket of each kind, and print their codes.")
    var seed = false

    @Option(
      name: .customLong("import"),
      help: ArgumentHelp(
        "Take tickets from a CSV file, as scangate tickets import takes it; holders' names and addresses as well.",
        valueName: "tickets.csv"))
    var importFile: String?

    @OptionGroup(title: "The file of --import") var reading: TicketFileArgument

    @Option(help: ArgumentHelp("The file that holds the API key, or shall hold it.", valueName: "file"))
    var apiKeyFile: String?

    @Option(help: "How 60 requests are counted: pause (as the real server does) or window (as its document says).")
    var rateModel = VenueConfiguration.RateModel.pause

    @Option(
      help: ArgumentHelp(
        "Misbehave from the start, such as status=503,next=3 or close=after,share=20%; may be given again. See docs/venue.md.",
        valueName: "text"),
      transform: { try Misbehaviour($0) })
    var misbehave: [Misbehaviour] = []

    @Option(
      help: ArgumentHelp(
        "A Unix socket, for you alone, on which the other scangate venue commands reach this venue.",
        valueName: "socket"))
    var control: String?

    @Flag(help: "No rate limit and no block of failing keys: for benches.")
    var noLimits = false

    @Option(
      help: ArgumentHelp(
        "A PEM file with the certificate for TLS, and those that lead to its authority.", valueName: "file"))
    var certificate: String?

    @Option(help: ArgumentHelp("The PEM file with its private key, without a passphrase.", valueName: "file"))
    var privateKey: String?

    @Option(
      help: ArgumentHelp(
        "The address at which stations reach the venue, such as https://venue.example:8443.", valueName: "url"))
    var publicURL: String?

    @Option(
      help: ArgumentHelp(
        "Be a whole ticket server and not the scanning API alone: document, planify or upstream. See docs/venue.md.",
        valueName: "shape"))
    var eventscheduleShape: ServerShape?

    @Option(
      help: "Which kiosk service it passes for: the document's, or a server that there really was. See docs/venue.md.")
    var kioskShape = KioskShape.document

    @Option(
      help: ArgumentHelp(
        "The file that holds the token with which kiosks register, or shall hold it. Without it any token will do.",
        valueName: "file"))
    var kioskTokenFile: String?

    @Option(
      help: ArgumentHelp("How long the tokens of kiosks last, such as 90s or 1h.", valueName: "time"),
      transform: { text in
        guard let life = VenueConfiguration.life(text) else {
          throw ValidationError("a life is 1s to 365d, such as 90s or 1h; it got \(text)")
        }
        return life
      })
    var kioskTokenLife = Duration.seconds(3_600)

    @Option(
      help: ArgumentHelp(
        "Be a subscription service as well: as its document has it, or as the real one answers. See docs/venue.md.",
        valueName: "shape"))
    var subscriptions: SubscriptionShape?

    @Option(
      help: ArgumentHelp(
        "The file that holds the access token of the subscription service, or shall hold it. Without it a fresh one is printed once.",
        valueName: "file"))
    var accessTokenFile: String?

    @OptionGroup(title: "A booking service") var theatre: TheatreArguments

    @Flag(help: "Sign tickets and redeem them as well. See docs/signed-tickets.md.")
    var signedTickets = false

    @Option(
      help: ArgumentHelp(
        "The file that holds the token with which signed tickets are redeemed, or shall hold it. Without it a fresh one is printed once.",
        valueName: "file"))
    var ticketTokenFile: String?

    func validate() throws {
      try theatre.check(seed: seed)
      guard ticketTokenFile == nil || signedTickets else {
        throw ValidationError("--ticket-token-file is of --signed-tickets.")
      }
      guard accessTokenFile == nil || subscriptions != nil else {
        throw ValidationError("--access-token-file is of --subscriptions.")
      }
      guard (certificate == nil) == (privateKey == nil) else {
        throw ValidationError("--certificate and --private-key go together.")
      }
      if kioskShape.needsKioskToken, kioskTokenFile == nil {
        throw ValidationError(
          "Kiosks of the shape \(kioskShape.rawValue) show a token with each request: give --kiosk-token-file.")
      }
      guard importFile != nil || reading.isEmpty else {
        throw ValidationError("--column, --status and --dates are of the file of --import.")
      }
      if let publicURL, !Self.isAddress(publicURL) {
        throw ValidationError("--public-url wants an address such as https://venue.example:8443; it got \(publicURL)")
      }
    }

    func run() async throws {
      let (host, port) = try address()
      // Before anything is made: a file that cannot be taken leaves nothing behind.
      let stop = importFile.map { _ in ImportStop() }
      let tickets = try importFile.map { try VenueTicketFile.read($0, reading) }
      stop?.hasRead()
      // From its first moment the control socket is for its owner alone.
      if control != nil { _ = umask(0o077) }
      var logger = Logger(label: "venue", factory: { StreamLogHandler.standardError(label: $0) })
      logger.logLevel = .critical
      let venue: VenueServer
      do {
        venue = try VenueServer(
          VenueConfiguration(
            host: host, port: port, storage: database.map { .file($0) } ?? .memory, rateModel: rateModel,
            noLimits: noLimits, misbehaviours: misbehave, controlSocket: control, tls: tls,
            publicURL: publicURL.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 },
            serverShape: eventscheduleShape, kioskShape: kioskShape, kioskToken: try kioskToken(),
            kioskTokenLife: kioskTokenLife, subscriptionShape: subscriptions, signsTickets: signedTickets,
            bookingShape: theatre.shape,
            logger: logger))
        try await prepare(venue, tickets, stop)
      } catch let error as VenueError {
        throw failure(error.description)
      } catch let error as TicketFileError {
        for line in error.description.split(separator: "\n") {
          Terminal.error(TerminalText.clean(String(line), limit: 500))
        }
        throw Exit.configuration
      }
      for entry in venue.misbehaviours { Terminal.out("It misbehaves: \(entry.misbehaviour)") }
      let service = VenueService(venue: venue)
      let group = ServiceGroup(
        services: [service], gracefulShutdownSignals: [.sigterm, .sigint, .sighup], logger: logger)
      try await group.run()
    }

    private var tls: VenueTLS? {
      guard let certificate, let privateKey else { return nil }
      return VenueTLS(certificate: certificate, privateKey: privateKey)
    }

    /// The token in its file; made with the file where there is none.
    private func kioskToken() throws -> String? {
      guard let kioskTokenFile else { return nil }
      if let token = try TokenFile.read(kioskTokenFile) { return token }
      let token = VenueServer.makeKioskToken()
      try TokenFile.write(token, to: kioskTokenFile)
      Terminal.out("The kiosk token is in \(kioskTokenFile).")
      return token
    }

    /// A scheme, a host, perhaps a port and a path; nothing that could be taken for more.
    private static func isAddress(_ text: String) -> Bool {
      guard let scheme = ["https://", "http://"].first(where: text.hasPrefix) else { return false }
      let rest = text.dropFirst(scheme.count)
      return !rest.isEmpty && rest.first != "/" && text.utf8.count <= 1_000
        && rest.utf8.allSatisfy { (0x21...0x7E).contains($0) && !"?#@\\\"".utf8.contains($0) }
    }

    private func prepare(_ venue: VenueServer, _ tickets: [ImportedTicket]?, _ stop: ImportStop?) async throws {
      let key = try apiKeyFile.flatMap(TokenFile.read)
      if let importFile, let tickets, let stop {
        let summary = try await stop.during(venue) { try await venue.importTickets(tickets, file: importFile) }
        Terminal.out(
          "Tickets of \(TerminalText.clean(importFile)): \(summary.added) added, \(summary.updated) updated.")
      }
      var issued = key
      if seed {
        let seeded = try await venue.seed(Seed(apiKey: key, halls: eventscheduleShape != nil))
        if issued == nil { issued = seeded.apiKey }
        Terminal.out("Today: \(seeded.event)")
        for ticket in seeded.tickets {
          let kind = ticket.kind.rawValue
          let event = eventscheduleShape.map { _ in "  \(ticket.event) (\(ticket.eventID)), \(ticket.type)" } ?? ""
          Terminal.out(
            "  \(kind + String(repeating: " ", count: max(0, 16 - kind.count)))\(ticket.code)  \(ticket.holder)\(event)"
          )
        }
      }
      if subscriptions != nil { try await prepareMemberships(venue) }
      if signedTickets { try await prepareSignedTickets(venue) }
      if seed { try await theatre.prepare(venue) }
      if issued == nil || !seed { issued = try await venue.issueKey(key) }
      guard key == nil, let issued else { return }
      if let apiKeyFile {
        try TokenFile.write(issued, to: apiKeyFile)
        Terminal.out("The API key is in \(apiKeyFile).")
      } else {
        Terminal.out("API key, told once: \(issued)")
      }
    }

    private func prepareMemberships(_ venue: VenueServer) async throws {
      if seed {
        let seeded = try await venue.seedMemberships()
        Terminal.out("Memberships, to be asked for at /api/v1:")
        for one in seeded.sold {
          let kind = one.kind.rawValue
          let whose = one.ftcID.map { ", of \($0)" } ?? ""
          Terminal.out(
            "  \(kind + String(repeating: " ", count: max(0, 16 - kind.count)))\(one.id)  \(one.tier.rawValue) until \(one.expires)\(whose)"
          )
        }
        Terminal.out("  account to link  \(seeded.freeAccount)")
      }
      let known = try accessTokenFile.flatMap(TokenFile.read)
      let token = try await venue.issueAccessToken(known)
      guard known == nil else { return }
      guard let accessTokenFile else { return Terminal.out("Access token, told once: \(token)") }
      try TokenFile.write(token, to: accessTokenFile)
      Terminal.out("The access token is in \(accessTokenFile).")
    }

    private func prepareSignedTickets(_ venue: VenueServer) async throws {
      if seed {
        Terminal.out("Signed tickets of \(VenueServer.organisation), until two hours from now:")
        for seat in ["A-1", "A-2"] {
          Terminal.out("  \(try await venue.issueSignedTicket(NewSignedTicket(seat: seat)).token)")
        }
      }
      let known = try ticketTokenFile.flatMap(TokenFile.read)
      let token = try await venue.issueTicketToken(known)
      guard known == nil else { return }
      guard let ticketTokenFile else { return Terminal.out("Token for signed tickets, told once: \(token)") }
      try TokenFile.write(token, to: ticketTokenFile)
      Terminal.out("The token for signed tickets is in \(ticketTokenFile).")
    }

    private func address() throws -> (String, Int) {
      guard let colon = listen.lastIndex(of: ":"), let port = Int(listen[listen.index(after: colon)...]),
        (0...65_535).contains(port)
      else { throw ValidationError("--listen wants an address and a port, such as 127.0.0.1:8080; it got \(listen)") }
      let host = listen[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
      return (host.isEmpty ? "127.0.0.1" : String(host), port)
    }
  }
}

extension VenueConfiguration.RateModel: ExpressibleByArgument {}
extension KioskShape: ExpressibleByArgument {}
extension ServerShape: ExpressibleByArgument {}
extension SubscriptionShape: ExpressibleByArgument {}

/// The venue under a service group, which ends it on SIGTERM and SIGINT.
private struct VenueService: Service {
  let venue: VenueServer

  func run() async throws {
    try await cancelWhenGracefulShutdown {
      do {
        try await venue.run { address in
          Terminal.out("Listening on \(address.url); end with Ctrl-C.")
        }
      } catch is CancellationError {
        // The ordinary end.
      }
    }
  }
}

/// An error in words on standard error, and a failing exit.
func failure(_ words: String, _ code: ExitCode = Exit.unavailable) -> ExitCode {
  Terminal.error("scangate: " + TerminalText.clean(words, limit: 2_000), .error)
  return code
}

/// Why a list was not taken, a line for each thing that is wrong, and a failing exit.
func notImported(_ fault: TicketListFault) -> ExitCode {
  let lines = fault.description.split(separator: "\n", maxSplits: 50)
  let code = fault.isOfData ? Exit.data : Exit.unavailable
  for (index, line) in lines.enumerated() { _ = failure(index == 0 ? "Nothing was imported. \(line)" : String(line)) }
  return code
}
