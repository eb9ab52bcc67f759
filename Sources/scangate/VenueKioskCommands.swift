import ScanModel
import ArgumentParser
package import VenueServer

extension VenueCommand {
  /// `scangate venue kiosk`
  struct Kiosk: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "kiosk", abstract: "What a serving venue knows of kiosks, and what it tells them.",
      subcommands: [List.self, Show.self, Set.self, State.self, Revoke.self, Log.self])

    /// `scangate venue kiosk list`
    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the kiosks, a line of JSON each: when they were heard, and the status that they told last.")

      @OptionGroup var socket: VenueSocket

      func run() async throws {
        for line in try await socket.client.kiosks() { Terminal.out(line) }
      }
    }

    /// `scangate venue kiosk show`
    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print a kiosk as a line of JSON, with the configuration that it gets.")

      @OptionGroup var socket: VenueSocket

      @Argument(help: "The kiosk's id.")
      var id: String

      func run() async throws {
        Terminal.out(try await socket.client.kiosk(id))
      }
    }

    /// `scangate venue kiosk set`
    struct Set: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Change members of a kiosk's configuration.",
        discussion: """
          member=value keeps the type that the member has, such as settings.refreshInterval=60 or name=North; member:=JSON \
          sets anything, such as name:=null.
          """)

      @OptionGroup var socket: VenueSocket

      @Argument(help: "The kiosk's id.")
      var id: String

      @Argument(help: ArgumentHelp("What to set.", valueName: "member=value"))
      var assignments: [String]

      func run() async throws {
        try await socket.client.configureKiosk(id, assignments)
      }
    }

    /// `scangate venue kiosk state`
    struct State: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "state", abstract: "Say in a kiosk's configuration whether it is to be at work.")

      @OptionGroup var socket: VenueSocket

      @Argument(help: "The kiosk's id.")
      var id: String

      @Argument(help: "What it is to be.")
      var state: KioskState

      func run() async throws {
        try await socket.client.setKioskState(state, of: id)
      }
    }

    /// `scangate venue kiosk revoke`
    struct Revoke: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Refuse the tokens that a kiosk has from now on.")

      @OptionGroup var socket: VenueSocket

      @Argument(help: "The kiosk's id.")
      var id: String

      func run() async throws {
        try await socket.client.revokeTokens(ofKiosk: id)
      }
    }

    /// `scangate venue kiosk log`
    struct Log: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "log",
        abstract:
          "Print what stations have asked the venue for, oldest first, as far as it has not to do with tickets.",
        discussion:
          "Neither tokens nor codes nor secrets are in it: they are in headers and bodies, which are not kept.")

      @OptionGroup var socket: VenueSocket

      @Flag(help: "Print a line of JSON for each.")
      var json = false

      func run() async throws {
        for line in try await socket.client.kioskRequests() {
          Terminal.out(json ? line : KioskRequest(json: line).map { Self.line($0) } ?? line)
        }
      }

      private static func line(_ request: KioskRequest) -> String {
        [
          request.timeText, request.status.map { "\($0)" } ?? "-  ", request.method, TerminalText.clean(request.path),
        ].joined(separator: "  ")
      }
    }
  }
}

extension KioskState: ExpressibleByArgument {}
