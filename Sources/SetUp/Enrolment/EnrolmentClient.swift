internal import WireText
package import ScanModel
internal import Calls
package import SetUpCodes
package import TicketTransport

/// Gets a station the address and key of its ticket system: `POST /enrol` at the server of a code. Documented in
/// `docs/set-up.md`, so that other ticket systems can have it.
package struct EnrolmentClient: Sendable {
  /// How long one try waits for its answer: a lost one is asked for again.
  private static let patience = Duration.seconds(8)

  private let trust: TrustList
  private let types: Set<String>
  private let time: any TimeSource
  private let retry: RetryPolicy
  private let connect: @Sendable (NamedServer) throws(HTTPTransport.SetupFault) -> HTTPTransport

  /// Makes a client; connects nowhere.
  /// - Parameters:
  ///   - trust: the servers where a ticket system may be, beside the code's own.
  ///   - types: the types of ticket systems that can be given.
  ///   - settings: how servers are spoken to; whose certificates are trusted.
  package init(
    trust: TrustList, types: Set<String>, settings: HTTPTransport.Settings = HTTPTransport.Settings(),
    time: any TimeSource = SystemTime()
  ) {
    self.init(trust: trust, types: types, time: time) { server throws(HTTPTransport.SetupFault) in
      let address = try Result { () throws(ServerAddress.Fault) in try ServerAddress(server.url) }
        .mapError { HTTPTransport.SetupFault($0.description) }.get()
      return try HTTPTransport(server: address, settings: settings, time: time)
    }
  }

  /// Makes a client that reaches servers in a way of its own.
  init(
    trust: TrustList, types: Set<String>, time: any TimeSource, retry: RetryPolicy = .harmlessCall,
    connect: @escaping @Sendable (NamedServer) throws(HTTPTransport.SetupFault) -> HTTPTransport
  ) {
    self.trust = trust
    self.types = types
    self.time = time
    self.retry = retry
    self.connect = connect
  }

  /// Asks for what the code is good for. The server gives the same station the same answer again, so that a lost answer is asked
  /// for once more, inside the deadline.
  /// - Parameters:
  ///   - code: a code whose server may be spoken to.
  ///   - station: who asks.
  ///   - name: how staff call the station, for the venue's books.
  ///   - deadline: when this returns at the latest.
  /// - Throws: `EnrolmentFault`.
  package func enrol(
    _ code: EnrolmentCode, station: StationIdentity, name: String, deadline: MonotonicTime
  ) async throws(EnrolmentFault) -> Enrolment {
    let transport = try Result { () throws(HTTPTransport.SetupFault) in try connect(code.server) }
      .mapError { EnrolmentFault(.fault, $0.description) }.get()
    let call = Self.call(code, station, name)
    let answer: HTTPAnswer
    do throws(EnrolmentFault) {
      answer = try await ask(transport, call, deadline)
    } catch {
      await transport.close()
      throw error
    }
    await transport.close()
    return try EnrolmentAnswer(
      answer, of: types, host: code.server.description, hiding: Redaction(code.secret.text, shownAs: "(secret)")
    )
    .enrolment(for: code, trust: trust)
  }

  private func ask(
    _ transport: HTTPTransport, _ call: HTTPCall, _ deadline: MonotonicTime
  ) async throws(EnrolmentFault) -> HTTPAnswer {
    var random = SystemRandomNumberGenerator()
    var tries = 0
    var wasSent = false
    while true {
      let outcome = await transport.send(call, deadline: min(deadline, time.now() + Self.patience)) { _ in }
      tries += 1
      wasSent = wasSent || outcome.sentAt != nil
      let host = transport.server.hostAndPort
      let fault: EnrolmentFault
      switch outcome.result {
      // Out of order now; in a moment it may not be.
      case .answered(let answer) where (500...599).contains(answer.status):
        fault = EnrolmentFault(.fault, "\(host) is out of order (\(answer.status)). Try again in a while.")
      case .answered(let answer): return answer
      case .notSent(let why): fault = EnrolmentFault(why.reason == .unreachable ? .offline : .fault, why.detail)
      case .lost(let why) where why.reason == .unreachable:
        fault = EnrolmentFault(.offline, "\(host) took the request and broke off. Hold the same code up again.")
      case .lost(let why): fault = EnrolmentFault(.fault, why.detail)
      case .pending: fault = EnrolmentFault(.offline, "\(host) did not answer in time. Hold the same code up again.")
      }
      var mayRepeat = fault.refusal == .offline
      if case .answered = outcome.result { mayRepeat = true }
      guard mayRepeat,
        let wait = retry.wait(
          afterTries: tries, at: time.now(), deadline: deadline, using: &random),
        (try? await Task.sleep(for: wait)) != nil
      else { throw EnrolmentFault(fault.refusal, fault.detail, mayBeUsed: wasSent) }
    }
  }

  private static func call(_ code: EnrolmentCode, _ station: StationIdentity, _ name: String) -> HTTPCall {
    let who = JSONText.object(("id", station.id), ("name", name), ("version", station.version))
    var body = JSONText.object(("secret", code.secret.text))
    body.add("station", object: who.text)
    body.add("gate", code.gate)
    return HTTPCall(.post, path: "/enrol", body: body.bytes)
  }
}
