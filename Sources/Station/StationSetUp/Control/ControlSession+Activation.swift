package import ScanModel
internal import Sealing

extension ControlSession {
  /// Announces the station, by its own id and no other. Its registration token is shown to the configured server alone.
  package func register(deadline: MonotonicTime) async throws(ControlFault) {
    let record = try Result { () throws(SealFault) in try identified() }
      .mapError { ControlFault(.unknown, $0.description, wasSent: false) }.get()
    guard let server = record.activation?.server ?? configured else { throw Self.noServer }
    try await register(record, at: server, deadline)
  }

  private func register(
    _ record: ControlRecord, at server: ControlServer, _ deadline: MonotonicTime
  ) async throws(ControlFault) {
    let station = StationIdentity(id: record.stationID ?? "", version: version)
    let token = server.isSame(as: configured) ? registrationToken : nil
    try await ask(.register, at: server) { control throws(ControlFault) in
      try await control.register(station, token: token, deadline: deadline)
    }
  }

  /// Activates the station; a service that does not know it is told of it first. Done means: kept durably.
  /// - Parameters:
  ///   - server: the one that the code names; `nil` for the configured one.
  ///   - renewing: whether a station that is activated already may be activated again, at the same server and as the same one:
  ///     by hand alone.
  package func activate(
    _ code: ActivationCode, at server: ControlServer? = nil, renewing: Bool = false, deadline: MonotonicTime
  ) async -> Result<Activation, ActivationFault> {
    guard !isActivating else {
      return .failure(ActivationFault(.fault, "Another activation is under way. Wait for it.", kind: .unknown))
    }
    isActivating = true
    defer { isActivating = false }
    do throws(ActivationFault) {
      let activation = try await activateOnce(code, at: server, renewing, deadline)
      unkept.counters.activations &+= 1
      keepCounters()
      // What it is to be, asked once: without that it is activated all the same, and somebody waits at the scanner.
      do throws(ControlFault) {
        _ = try await fetch(true, true)
      } catch {
        tell(error)
      }
      return .success(activation)
    } catch {
      unkept.counters.count(error.refusal)
      keepCounters()
      return .failure(error)
    }
  }

  private func activateOnce(
    _ code: ActivationCode, at named: ControlServer?, _ renewing: Bool, _ deadline: MonotonicTime
  ) async throws(ActivationFault) -> Activation {
    let former = try Result { () throws(SealFault) in try identified() }
      .mapError { ActivationFault(.fault, "The activation is not tried: \($0.description)", kind: .unknown) }.get()
    if let kept = former.activation { try check(code, named, against: kept, renewing) }
    guard let server = former.activation?.server ?? named ?? configured else {
      throw ActivationFault(.fault, Self.noServer.detail, kind: .unknown)
    }
    let id = code.kioskID ?? former.activation?.value.kioskID ?? former.stationID ?? ""
    let attempt = ActivationAttempt(server: server, sent: time.wall())
    do throws(SealFault) {
      _ = try records.change { $0.attempt = attempt }
    } catch {
      // Nothing is sent: the code stays good.
      throw ActivationFault(.fault, "The activation is not tried: \(error.description)", kind: .unknown)
    }
    let given: Activation
    do throws(ActivationFault) {
      let isAnnounced = await announce(id, at: server, former, deadline)
      given = try await ask(code, id, at: server, former, mayRegister: !isAnnounced, deadline)
    } catch {
      await letGo(of: server, unlessOf: former)
      if !error.mayBeUsed {
        // Answered for certain: what was unanswered before is so still.
        changeIfPossible { if $0.attempt == attempt { $0.attempt = former.attempt } }
      }
      throw error
    }
    try keep(given, from: server, inPlaceOf: former)
    return given
  }

  /// Tells the configured server of a new station before it is activated, where it wants a token for that: some take a station that
  /// they do not know, and then have nothing for it.
  /// - Returns: whether it knows the station now. What is not known of it may be asked all the same.
  private func announce(
    _ id: String, at server: ControlServer, _ record: ControlRecord, _ deadline: MonotonicTime
  ) async -> Bool {
    guard registrationToken != nil, server.isSame(as: configured), record.activation == nil, id == record.stationID
    else { return false }
    do throws(ControlFault) {
      try await register(record, at: server, min(deadline, time.now() + Self.announcing))
      return true
    } catch {
      if error.kind != .network { tell(error) }
      return false
    }
  }

  private static let announcing = Duration.seconds(5)

  /// Codes can name servers without end: what none of them has given anything for is let go of.
  private func letGo(of server: ControlServer, unlessOf record: ControlRecord) async {
    guard !server.isSame(as: configured), record.activation?.server != server,
      let connection = connections.removeValue(forKey: server)
    else { return }
    await connection.close()
  }

  /// Whether a station that is activated may be activated again: by hand, and as what it is.
  private func check(
    _ code: ActivationCode, _ named: ControlServer?, against kept: KeptActivation, _ renewing: Bool
  ) throws(ActivationFault) {
    let what = "at \(kept.server), as \(TerminalText.clean(kept.value.kioskID))"
    guard renewing else {
      throw ActivationFault(
        .fault,
        "The station is activated already, \(what). For a new token: scangate kiosk activate --again. To begin as "
          + "a new station, with its gates closed until then: scangate kiosk reset", kind: .unknown)
    }
    guard named.map(kept.server.isSame) ?? true, (code.kioskID ?? kept.value.kioskID) == kept.value.kioskID else {
      throw ActivationFault(
        .fault,
        "The code is for another server or another station than this one, which is activated \(what). To begin anew, reset it "
          + "first: scangate kiosk reset", kind: .unknown)
    }
  }

  /// Asks for the activation, once; after it was told of the station once more, where the service does not know it.
  private func ask(
    _ code: ActivationCode, _ id: String, at server: ControlServer, _ record: ControlRecord, mayRegister: Bool,
    _ deadline: MonotonicTime
  ) async throws(ActivationFault) -> Activation {
    let station = StationIdentity(id: id, version: version)
    let control: any StationControl = try Result { () throws(ControlFault) in try connection(to: server) }
      .mapError { ActivationFault(.fault, $0.detail, kind: $0.kind) }.get()
    do throws(ActivationFault) {
      return try await measured(control, code, station, deadline)
    } catch {
      // Whoever makes codes makes no stations: an id that a code names is known to the service, or to nobody.
      guard mayRegister, error.refusal == .unknownStation, !error.mayBeUsed, id == record.stationID else { throw error }
      do throws(ControlFault) {
        try await register(record, at: server, deadline)
      } catch let fault {
        let refusal: SetUpRefusal =
          switch fault.kind {
          case .network: .offline
          case .authentication, .server: .fault
          case .configuration, .unknown: .unknownStation
          }
        throw ActivationFault(
          refusal, "\(error.detail) It cannot be told of it either: \(fault.detail)", kind: fault.kind)
      }
      return try await measured(control, code, station, deadline)
    }
  }

  private func measured(
    _ control: any StationControl, _ code: ActivationCode, _ station: StationIdentity, _ deadline: MonotonicTime
  ) async throws(ActivationFault) -> Activation {
    let began = time.now()
    do throws(ActivationFault) {
      let given = try await control.activate(code, as: station, deadline: deadline)
      heard(.activate, began)
      return given
    } catch {
      unkept.counters.count(.activate, took: time.now() - began, succeeded: nil, fault: error.kind)
      isConnected = error.kind == nil || error.kind == .authentication || error.kind == .configuration
      throw error
    }
  }

  /// Keeps an activation, durably; where the station is no longer what it was when that began, it stays what it is.
  private func keep(
    _ given: Activation, from server: ControlServer, inPlaceOf former: ControlRecord
  ) throws(ActivationFault) {
    if let kept = former.activation, kept.value.kioskID != given.kioskID {
      throw ActivationFault(
        .fault,
        "The code was for another station: \(server) calls this one \(TerminalText.clean(given.kioskID)) by it, and not "
          + "\(TerminalText.clean(kept.value.kioskID)). Nothing is changed here. To become that one: scangate kiosk reset, and a new code.",
        kind: .unknown, mayBeUsed: true)
    }
    let now = time.wall()
    var isKept = false
    do throws(SealFault) {
      _ = try records.change { record in
        isKept = record.activation == former.activation && record.stationID == former.stationID
        guard isKept else {
          record.attempt = nil
          return
        }
        if record.activation?.server != server || record.activation?.value.kioskID != given.kioskID {
          record.configuration = nil
        }
        record.activation = KeptActivation(server: server, value: given, activated: now)
        record.attempt = nil
        record.token = TokenNote()
      }
    } catch {
      throw ActivationFault(
        .fault,
        "\(server) has activated the station, but that cannot be kept: \(error.description) Then begin again; a new code may "
          + "be needed.", kind: .unknown, mayBeUsed: true)
    }
    guard isKept else {
      throw ActivationFault(
        .fault,
        "Another activation came first, or the station was reset meanwhile: what \(server) has given is not taken, and the "
          + "code is used up. Look at: scangate kiosk status", kind: .unknown, mayBeUsed: true)
    }
    token = TokenWatch()
    standsInFor = nil
  }

  static let noServer = ControlFault(
    .unknown, "No control service is configured (control: url), and the code names none.", wasSent: false)
}
