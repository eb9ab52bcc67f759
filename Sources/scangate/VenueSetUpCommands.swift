import ScanModel
import ArgumentParser
import VenueServer

extension VenueCommand {
  /// `scangate venue activation-code`
  struct MakeActivationCode: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "activation-code", abstract: "Have a serving venue make an activation code for one kiosk.",
      discussion: """
        The code is good once. Without --json and --url it is printed alone; with --json in the two forms that real servers \
        print as QR codes, one of which names the venue's host and port and the other one its end; with --url as an address.
        """)

    @OptionGroup var socket: VenueSocket

    @Option(name: .customLong("for"), help: ArgumentHelp("The only kiosk that it is good for.", valueName: "id"))
    var kiosk: String?

    @Option(help: "How long it is good, in minutes, 1 to 10080.")
    var minutes = 60

    @Flag(help: "Print the two JSON forms, a line each.")
    var json = false

    @Option(
      help: ArgumentHelp(
        "Print the address form, at this base; may be empty for an address without a host.", valueName: "base"))
    var url: String?

    func run() async throws {
      let made = try await socket.client.makeActivationCode(for: kiosk, minutes: minutes)
      if json {
        Terminal.out(made.textWithServer)
        Terminal.out(made.textWithExpiry)
      }
      if let url { Terminal.out(TerminalText.clean(made.address(at: url), limit: 2_000)) }
      if !json, url == nil { Terminal.out(made.code) }
    }
  }

  /// `scangate venue enrolment`
  struct MakeEnrolment: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "enrolment", abstract: "Have a serving venue make an enrolment secret for one station.",
      discussion: """
        Printed is a line of JSON with the secret, the gate, the venue's host and port, and the secret's end. For the secret \
        a station gets an API key of its own, once. The host is that of --public-url, else the name in the venue's certificate: \
        scangate enrol-code takes no address, and stations speak to names over TLS alone.
        """)

    @OptionGroup var socket: VenueSocket

    @Option(help: ArgumentHelp("The gate that the station is to be.", valueName: "name"))
    var gate: String

    @Option(help: ArgumentHelp("The sale ticket that the gate is to name in each scan.", valueName: "id"))
    var saleTicket: Int64?

    @Option(help: "The seat that the gate is to name in each scan.")
    var seat: String?

    @Option(name: .customLong("for"), help: ArgumentHelp("The only station that it is good for.", valueName: "id"))
    var station: String?

    @Option(help: "How long it is good, in minutes, 1 to 10080.")
    var minutes = 1_440

    func run() async throws {
      let made = try await socket.client.makeEnrolment(
        gate: gate, saleTicket: saleTicket, seat: seat, for: station, minutes: minutes)
      Terminal.out(made.json)
    }
  }
}
