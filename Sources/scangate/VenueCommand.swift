public import ArgumentParser
import Foundation
import Gateway
import LinuxIO
import Logging
import ServiceLifecycle
import UnixSignals
public import VenueServer

/// `scangate venue`: an embedded ticket system, for training and tests.
struct VenueCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "venue", abstract: "An embedded ticket system for training and tests.",
    subcommands: [Serve.self, Misbehave.self, Ticket.self, Book.self])

  /// `scangate venue serve`
  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Serve the ticket scanning API from a SQLite file.",
      discussion: """
        A client's API key is read from --api-key-file; when that file does not exist, a fresh key is made and written to \
        it, readable by you alone. Without the option a fresh key is printed once.
        """)

    @Option(help: "Address and port to listen on. The venue speaks plain HTTP: keep it on loopback.")
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
        "Take tickets from a CSV file: code,kind,status,name,email,quantity,event,date,timezone (only code is needed).",
        valueName: "tickets.csv"))
    var importFile: String?

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
        "A Unix socket, for you alone, on which scangate venue misbehave, ticket and book reach this venue.",
        valueName: "socket"))
    var control: String?

    @Flag(help: "No rate limit and no block of failing keys: for benches.")
    var noLimits = false

    func run() async throws {
      let (host, port) = try address()
      // From its first moment the control socket is for its owner alone.
      if control != nil { _ = umask(0o077) }
      var logger = Logger(label: "venue", factory: { StreamLogHandler.standardError(label: $0) })
      logger.logLevel = .critical
      let venue: VenueServer
      do {
        venue = try VenueServer(
          VenueConfiguration(
            host: host, port: port, storage: database.map { .file($0) } ?? .memory, rateModel: rateModel,
            noLimits: noLimits, misbehaviours: misbehave, controlSocket: control, logger: logger))
        try await prepare(venue)
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
      do {
        try await group.run()
      } catch let error as VenueError {
        throw failure(error.description)
      }
    }

    private func prepare(_ venue: VenueServer) async throws {
      let key = try apiKeyFile.flatMap(Self.readKey)
      if let importFile {
        let summary = try await venue.importTickets(try Self.bytes(of: importFile), file: importFile)
        Terminal.out(
          "Tickets of \(TerminalText.clean(importFile)): \(summary.added) added, \(summary.updated) updated.")
      }
      var issued = key
      if seed {
        let seeded = try await venue.seed(Seed(apiKey: key))
        if issued == nil { issued = seeded.apiKey }
        Terminal.out("Today: \(seeded.event)")
        for ticket in seeded.tickets {
          let kind = ticket.kind.rawValue
          Terminal.out(
            "  \(kind + String(repeating: " ", count: max(0, 16 - kind.count)))\(ticket.code)  \(ticket.holder)")
        }
      }
      if issued == nil || !seed { issued = try await venue.issueKey(key) }
      guard key == nil, let issued else { return }
      if let apiKeyFile {
        try Self.writeKey(issued, to: apiKeyFile)
        Terminal.out("The API key is in \(apiKeyFile).")
      } else {
        Terminal.out("API key, told once: \(issued)")
      }
    }

    private func address() throws -> (String, Int) {
      guard let colon = listen.lastIndex(of: ":"), let port = Int(listen[listen.index(after: colon)...]),
        (0...65_535).contains(port)
      else { throw ValidationError("--listen wants an address and a port, such as 127.0.0.1:8080; it got \(listen)") }
      let host = listen[..<colon].drop { $0 == "[" }.prefix { $0 != "]" }
      return (host.isEmpty ? "127.0.0.1" : String(host), port)
    }

    /// The key in a file; `nil` when there is no such file.
    private static func readKey(_ path: String) throws -> String? {
      do throws(SystemError) {
        switch try KeyFile.read(path) {
        case .absent: return nil
        case .key(let key): return key
        }
      } catch {
        throw failure(
          "\(path) cannot be read: \(error.words). Name a file that you can read, or one that is not there.")
      }
    }

    private static func bytes(of path: String) throws -> [UInt8] {
      do {
        return [UInt8](try Data(contentsOf: URL(filePath: path)))
      } catch {
        throw failure("\(path) cannot be read: \(error.localizedDescription)")
      }
    }

    private static func writeKey(_ key: String, to path: String) throws {
      do throws(SystemError) {
        try KeyFile.write(key, to: path)
      } catch {
        throw failure("\(path): \(error.words). Name a file in a folder that you can write to.")
      }
    }
  }
}

extension VenueConfiguration.RateModel: ExpressibleByArgument {}

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
  Terminal.error("scangate: " + TerminalText.clean(words, limit: 2_000))
  return code
}
