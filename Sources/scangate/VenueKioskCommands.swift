import ScanModel
import ArgumentParser
import Gateway
package import VenueServer

extension VenueCommand {
  /// `scangate venue kiosk`
  struct Kiosk: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "kiosk", abstract: "What a serving venue knows of kiosks, and what it tells them.",
      subcommands: [List.self, Show.self, Set.self, State.self, Revoke.self, Log.self])

    /// Where the venue is.
    struct Socket: ParsableArguments {
      @Option(
        help: ArgumentHelp("The control socket of the venue: what it was given as --control.", valueName: "socket"))
      var control: String

      /// Does something there; what goes wrong is told in words.
      func tell(_ work: (VenueControlClient) async throws -> Void) async throws {
        do {
          try await work(VenueControlClient(path: control))
        } catch let error as VenueError {
          throw failure(error.description)
        }
      }
    }

    /// `scangate venue kiosk list`
    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Print the kiosks, a line of JSON each: when they were heard, and the status that they told last.")

      @OptionGroup var socket: Socket

      func run() async throws {
        try await socket.tell { for line in try await $0.kiosks() { Terminal.out(line) } }
      }
    }

    /// `scangate venue kiosk show`
    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Print a kiosk as a line of JSON, with the configuration that it gets.")

      @OptionGroup var socket: Socket

      @Argument(help: "The kiosk's id.")
      var id: String

      func run() async throws {
        try await socket.tell { Terminal.out(try await $0.kiosk(id)) }
      }
    }

    /// `scangate venue kiosk set`
    struct Set: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Change members of a kiosk's configuration.",
        discussion: """
          member=value keeps the type that the member has, such as settings.refreshInterval=60 or name=North; member:=JSON \
          sets anything, such as name:=null.
          """)

      @OptionGroup var socket: Socket

      @Argument(help: "The kiosk's id.")
      var id: String

      @Argument(help: ArgumentHelp("What to set.", valueName: "member=value"))
      var assignments: [String]

      func run() async throws {
        try await socket.tell { try await $0.configureKiosk(id, assignments) }
      }
    }

    /// `scangate venue kiosk state`
    struct State: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Say in a kiosk's configuration whether it is to be at work.")

      @OptionGroup var socket: Socket

      @Argument(help: "The kiosk's id.")
      var id: String

      @Argument(help: "What it is to be.")
      var state: KioskState

      func run() async throws {
        try await socket.tell { try await $0.setKioskState(state, of: id) }
      }
    }

    /// `scangate venue kiosk revoke`
    struct Revoke: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract: "Refuse the tokens that a kiosk has from now on.")

      @OptionGroup var socket: Socket

      @Argument(help: "The kiosk's id.")
      var id: String

      func run() async throws {
        try await socket.tell { try await $0.revokeTokens(ofKiosk: id) }
      }
    }

    /// `scangate venue kiosk log`
    struct Log: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        abstract:
          "Print what stations have asked the venue for, oldest first, as far as it has not to do with tickets.",
        discussion:
          "Neither tokens nor codes nor secrets are in it: they are in headers and bodies, which are not kept.")

      @OptionGroup var socket: Socket

      @Flag(help: "Print a line of JSON for each.")
      var json = false

      func run() async throws {
        try await socket.tell { client in
          for line in try await client.kioskRequests() {
            Terminal.out(json ? line : KioskRequest(json: line).map { Self.line($0) } ?? line)
          }
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
