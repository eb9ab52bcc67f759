internal import LinuxIO
internal import ScanModel
package import TicketSystemKit
internal import TicketTransport
internal import WireText

extension TicketSystemDiscovery {
  /// A booking service: whether it signs the venue's staff in, which its ration of calls does not count.
  package static let bookings = TicketSystemDiscovery(
    TicketSystemForm(.shows, secret: .password, questions: [.venue, .venueName, .zone, .account, .website])
  ) { given in
    do throws(Fault) {
      return .success(try await BookingsDiscovery.find(given))
    } catch {
      return .failure(error)
    }
  }
}

private enum BookingsDiscovery {
  private static let patience = Duration.seconds(15)

  static func find(_ given: TicketSystemDiscovery.Given) async throws(TicketSystemDiscovery.Fault)
    -> TicketSystemDiscovery.Found
  {
    let typed: ServerAddress
    let origin: ServerAddress?
    do {
      typed = try ServerAddress(given.address)
      origin = given[.website].isEmpty ? nil : try ServerAddress(given[.website])
    } catch {
      throw .init("That is no address of a server. \(error.description)")
    }
    guard let password = StaffPassword(given.secret) else { throw .init("That is no password.") }
    let server = typed.withoutAPI ?? typed
    var settings = HTTPTransport.Settings()
    settings.words.role = BookingsSection.role
    settings.words.whenLost = "nothing was marked there"
    settings.words.keyCure = "Check the account, its password, and the venue's name."
    let time = SystemTime()
    let transport: HTTPTransport
    do { transport = try HTTPTransport(server: server, settings: settings, time: time) } catch {
      throw .init(error.description)
    }
    // The zone is no part of a sign-in; the check of the file looks at it.
    let venue = BookingsSection.Venue(
      id: given[.venue], slug: given[.venueName], zone: .utc, zoneName: given[.zone])
    let calls = BookingCalls(transport: transport, venue: venue, origin: origin, time: time)
    let outcome = await calls.signIn(given[.account], password, deadline: time.now() + patience)
    await transport.close()
    if case .failure(let fault) = SignInAnswer.session(outcome, calls, hiding: [password.redaction]) {
      throw .init(fault.detail)
    }
    return TicketSystemDiscovery.Found(
      type: BookingsSection.type, address: "\(server)", settings: lines(given),
      choices: [
        .init(.eachPerson, ticket: "{ shows: tonight, party: each }"),
        .init(.wholeParty, ticket: "{ shows: tonight, party: whole }"),
      ])
  }

  private static func lines(_ given: TicketSystemDiscovery.Given) -> [String] {
    // A text in JSON is one in YAML.
    let text = { JSONText.string(given[$0]) }
    var lines = [
      "venue: { id: \(text(.venue)), slug: \(text(.venueName)), zone: \(text(.zone)) }",
      "staff: { email: \(text(.account)), password: \(given.credential) }",
    ]
    if !given[.website].isEmpty { lines.append("origin: \(text(.website))") }
    return lines + ["list: { refresh: 5 min }"]
  }
}
