internal import ScanModel
internal import TicketTransport
internal import WireText

/// The three calls of a booking service that a door needs, as they are sent: from a website that it knows, and never as a telephone.
struct BookingCalls: Sendable {
  /// How long a check goes on behind a gate that could not wait.
  static let longestCheck = Duration.seconds(10)
  /// How long the door list may take.
  var longestList = Duration.seconds(60)
  /// The largest door list, in bytes; what is usual is some 100 kB, and 10,000 rows are 8 MB.
  private static let mostOfList = 16 << 20

  let transport: any HTTPCalling
  let venue: BookingsSection.Venue
  let time: any TimeSource
  private let headers: [CallHeader]

  /// - Parameter origin: where requests say they come from; `nil` for the server itself.
  init(transport: any HTTPCalling, venue: BookingsSection.Venue, origin: ServerAddress?, time: any TimeSource) {
    self.transport = transport
    self.venue = venue
    self.time = time
    let site = origin ?? transport.server
    let text = String(site.description.dropLast(site.path.utf8.count))
    headers = [try? CallHeader("Origin", text), try? CallHeader("Referer", text + "/")].compactMap(\.self)
  }

  /// The service.
  var server: ServerAddress { transport.server }
  /// The service, for messages.
  var host: String { transport.server.hostAndPort }
  /// How messages speak of it.
  var words: ServerWords { transport.words }

  /// `POST /api/venue-auth-new`.
  func signIn(_ email: String, _ password: StaffPassword, deadline: MonotonicTime) async -> HTTPOutcome {
    let body = JSONText.object(
      ("action", "login"), ("email", email), ("password", password.text), ("venueSlug", venue.slug))
    return await transport.send(call(.post, "/api/venue-auth-new", body: body.bytes), deadline: deadline) { _ in }
  }

  /// `GET /api/venues/ID/bookings/today`.
  func list(_ session: Secret) async -> HTTPOutcome {
    var call = call(.get, "/api/venues/\(PercentCoding.encode(venue.id))/bookings/today", session)
    call.limits.mostBytes = Self.mostOfList
    return await transport.send(call, deadline: time.now() + longestList) { _ in }
  }

  /// `POST /api/venues/ID/validate`: it marks nothing.
  func check(_ code: Code, _ session: Secret, deadline: MonotonicTime) async -> HTTPOutcome {
    let body = JSONText.object(("validationCode", code.text))
    return await transport.send(
      call(.post, "/api/venues/\(PercentCoding.encode(venue.id))/validate", session, body: body.bytes),
      deadline: deadline
    ) { _ in }
  }

  /// The session goes to the API whatever path its cookie names, and to this host alone: there is no other.
  private func call(
    _ method: HTTPCall.Method, _ path: String, _ session: Secret? = nil, body: [UInt8]? = nil
  ) -> HTTPCall {
    var call = HTTPCall(method, path: path, body: body)
    call.skipsCaches = true
    if let session { call.credential = ("Cookie", "\(SignInAnswer.cookie)=", session) }
    for header in headers { try? call.add(header) }
    return call
  }
}
