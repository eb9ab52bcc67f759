import ArgumentParser
import LinuxIO
import TicketSystemKit
import VenueServer

extension VenueCommand {
  /// `scangate venue signed-ticket`
  struct SignedTicket: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "signed-ticket", abstract: "What a serving venue signs, and who may redeem it.",
      discussion: """
        A time is one such as 2026-01-31T18:00:00Z, or one from now on such as 30min or -5min. See docs/signed-tickets.md.
        """,
      subcommands: [Issue.self, Revoke.self, Key.self, Token.self, List.self])

    /// `scangate venue signed-ticket issue`
    struct Issue: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "issue", abstract: "Sign a ticket, and print its code.")

      @OptionGroup var socket: VenueSocket

      @Option(help: ArgumentHelp("The organisation whose ticket it is.", valueName: "id"))
      var org = VenueServer.organisation

      @Option(help: ArgumentHelp("What it is for.", valueName: "id"))
      var performance = NewSignedTicket().performance

      @Option(help: "The seat.")
      var seat = NewSignedTicket().seat

      @Option(help: ArgumentHelp("The order that it belongs to.", valueName: "id"))
      var order = NewSignedTicket().order

      @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
          "When it is issued; usually now, or two hours before an end that is over.", valueName: "time"))
      var issued: String?

      @Option(
        parsing: .unconditional,
        help: ArgumentHelp("When it ends; usually two hours after it was issued.", valueName: "time"))
      var expires: String?

      func run() async throws {
        let issued = try await socket.client.issueSignedTicket(
          NewSignedTicket(order: order, performance: performance, seat: seat, issued: issued, expires: expires), of: org
        )
        Terminal.out(issued.token)
      }
    }

    /// `scangate venue signed-ticket revoke`
    struct Revoke: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Take a ticket back: it is refused from now on.")

      @OptionGroup var socket: VenueSocket

      @Argument(help: "The ticket's id (jti), as list prints it.")
      var id: String

      func run() async throws { try await socket.client.revokeSignedTicket(id) }
    }

    /// `scangate venue signed-ticket key`
    struct Key: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "key", abstract: "Sign with another key from now on; the keys before it are still told.")

      @OptionGroup var socket: VenueSocket

      @Flag(help: "Tell this key no more instead.")
      var withdraw = false

      @Argument(help: "What the key is called (kid).")
      var name: String

      func run() async throws {
        if withdraw { return try await socket.client.withdrawTicketKey(name) }
        try await socket.client.addTicketKey(name)
      }
    }

    /// `scangate venue signed-ticket token`
    struct Token: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Give a token that may redeem, or refuse all that were given.",
        discussion: "The token is told once. With --file it is the one in the file, which is made where there is none.")

      @OptionGroup var socket: VenueSocket

      @Option(help: ArgumentHelp("The file that holds the token, or shall hold it.", valueName: "file"))
      var file: String?

      @Flag(help: "Refuse all tokens that were given.")
      var revoke = false

      func validate() throws {
        guard file == nil || !revoke else { throw ValidationError("Give one of --file and --revoke.") }
      }

      func run() async throws {
        if revoke { return try await socket.client.revokeTicketTokens() }
        let known = try file.flatMap(TokenFile.read)
        let token = try await socket.client.issueTicketToken(known)
        guard let file else { return Terminal.out(token) }
        if known == nil { try TokenFile.write(token, to: file) }
        Terminal.out("The token is in \(file).")
      }
    }

    /// `scangate venue signed-ticket list`
    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print what was issued, a line of JSON each, without the codes.")

      @OptionGroup var socket: VenueSocket

      func run() async throws {
        for line in try await socket.client.issuedSignedTickets() { Terminal.out(line) }
      }
    }
  }
}
