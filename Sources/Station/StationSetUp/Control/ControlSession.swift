package import LinuxIO
package import ScanModel
internal import Calls
package import Sealing

/// What a station keeps of its control service, and all that it does with it: activation, configuration, status, token.
///
/// The service and commands use it, each in its own process, on the same records: what one does, the other sees with its next
/// call. Nothing of it opens a gate, and nothing that becomes of a token takes an activation away.
///
/// Activation is durable before it is told:
/// ```
///  note the attempt ──▶ ask the service ──▶ keep what it gave, note gone ──▶ done ──▶ fetch the configuration
///        power cut here: the station is not activated, and the note says why a new code may be needed
/// ```
package actor ControlSession {
  /// Connects to a server; nothing is sent. Throws words for why it must not or cannot be called.
  package typealias Connect = @Sendable (ControlServer) throws(SetupError) -> any StationControl

  let store: SealedRecordStore
  let configured: ControlServer?
  let version: String
  let registrationToken: ControlToken?
  let time: any TimeSource
  let connect: Connect
  let pause: @Sendable (Duration) async throws -> Void
  let notify: @Sendable (ControlNotice) -> Void
  private let thread: DeviceLoop

  var records: ControlRecordCache
  /// What was counted and not kept yet.
  var unkept = ControlSeen()
  var connections: [ControlServer: any StationControl] = [:]
  /// What the last call said of the server.
  var isConnected = false
  /// When this process fetched a configuration last.
  var fetched: MonotonicTime?
  /// Whether a call failed since: then the next sync fetches it, however new it is.
  var hasFailedSince = false
  var lastStatus: StationStatus?
  /// How long to wait before the next sync, by what the last one met.
  var untilNextSync = Duration.zero
  var isActivating = false
  var syncing: (task: Task<Result<ControlConfiguration, ControlFault>, Never>, isRefreshing: Bool)?
  var token = TokenWatch()
  /// The activation for whose token, which was refused, the registration token stands in.
  var standsInFor: KeptActivation?
  /// Until when a server has asked to be left alone.
  var quietUntil: MonotonicTime?
  var isClosed = false
  var recovery = ControlRecovery()
  var random = SystemRandomNumberGenerator()
  var toldFaults: [ControlFaultKind: MonotonicTime] = [:]

  /// Makes the session of a station; reads and sends nothing.
  /// - Parameters:
  ///   - server: the configured service; `nil` where only set-up codes name one.
  ///   - version: the program's version, for the service.
  ///   - registrationToken: what the configured service wants to see of a station that has no token; shown to no other server.
  ///   - connect: makes the connection to a server.
  ///   - pause: waits between tries.
  ///   - notify: hears what an operator should; called on the session's thread.
  /// - Throws: that there is no thread to be had; the session has its own, because a disk can hold a call for minutes.
  package init(
    store: SealedRecordStore, server: ControlServer?, version: String, registrationToken: ControlToken? = nil,
    time: any TimeSource, connect: @escaping Connect,
    pause: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
    notify: @escaping @Sendable (ControlNotice) -> Void = { _ in }
  ) throws(SystemError) {
    self.store = store
    records = ControlRecordCache(store)
    configured = server
    self.version = version
    self.registrationToken = registrationToken
    self.time = time
    self.connect = connect
    self.pause = pause
    self.notify = notify
    thread = try DeviceLoop(name: "control session")
  }

  deinit { thread.stop() }

  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// What the station is to its service now, by its records.
  /// - Throws: why the records cannot be read or, at the first call, made.
  package func state() throws(SealFault) -> ControlState {
    let record = try identified()
    return ControlState(
      stationID: record.stationID ?? "", server: record.activation?.server ?? configured,
      activation: record.activation?.value, activated: record.activation?.activated, attempted: record.attempt?.sent,
      configuration: record.configuration?.value, fetched: record.configuration?.fetched,
      tokenRefusedSince: record.token.refusedSince, manualStatus: record.manual?.status)
  }

  /// Everything counted, by all processes.
  package func counters() -> ControlCounters {
    var counters = ControlSeen.read(store).counters
    counters.add(unkept.counters)
    return counters
  }

  /// Keeps what was counted: for a service every few minutes, and before it ends. May be lost without harm.
  package func keepCounters() {
    guard unkept != ControlSeen() else { return }
    do throws(SealFault) {
      try unkept.add(to: store)
      unkept = ControlSeen()
    } catch {
      // Told where it matters: by what has to be kept.
    }
  }

  /// Forgets everything: activation, token, configuration, counters, and who the station was.
  package func reset() throws(SealFault) {
    syncing?.task.cancel()
    try records.forget()
    try store.remove(ControlSeen.name)
    unkept = ControlSeen()
    token = TokenWatch()
    standsInFor = nil
    fetched = nil
    lastStatus = nil
  }

  /// Keeps what was counted and ends its connections.
  package func close() async {
    isClosed = true
    syncing?.task.cancel()
    keepCounters()
    let open = connections.values
    connections = [:]
    for connection in open { await connection.close() }
  }
}

extension ControlSession {
  /// The record, with an id that is made where there is none.
  func identified() throws(SealFault) -> ControlRecord {
    let record = try record()
    if record.stationID != nil { return record }
    let id = StationUUID.make()
    return try records.change { if $0.stationID == nil { $0.stationID = id } }
  }

  func record() throws(SealFault) -> ControlRecord {
    let (record, problems) = try records.current()
    for problem in problems { notify(.record(problem)) }
    return record
  }

  /// Changes the record where that may fail without harm; the operator hears of it.
  func changeIfPossible(_ body: (inout ControlRecord) -> Void) {
    do throws(SealFault) {
      _ = try records.change(body)
    } catch {
      notify(.record(error.description))
    }
  }

  /// What goes with requests: the activation's token, else, at the configured server alone, the registration token; that as well
  /// where the other one is refused, as real servers take it for good and the tokens that they give for an hour.
  func bearer(_ kept: KeptActivation) -> Activation {
    var value = kept.value
    if value.token == nil || standsInFor == kept, kept.server.isSame(as: configured) {
      value.token = registrationToken ?? value.token
    }
    return value
  }

  func connection(to server: ControlServer) throws(ControlFault) -> any StationControl {
    if isClosed { throw ControlFault(.network, "The control service is left: this program ends.", wasSent: false) }
    if let connection = connections[server] { return connection }
    do throws(SetupError) {
      let connection = try connect(server)
      connections[server] = connection
      return connection
    } catch {
      throw ControlFault(.unknown, error.description, wasSent: false)
    }
  }

  /// Calls a server; counts the call, its time and its fault.
  func ask<Answer: Sendable>(
    _ endpoint: ControlEndpoint, at server: ControlServer,
    _ body: @Sendable (any StationControl) async throws(ControlFault) -> Answer
  ) async throws(ControlFault) -> Answer {
    let connection = try connection(to: server)
    let began = time.now()
    do throws(ControlFault) {
      let answer = try await body(connection)
      heard(endpoint, began)
      return answer
    } catch {
      // What was not even tried says nothing of the server.
      guard error.wasSent || error.kind == .network else { throw error }
      unkept.counters.count(endpoint, took: time.now() - began, succeeded: nil, fault: error.kind)
      isConnected = error.kind == .authentication || error.kind == .configuration
      hasFailedSince = true
      if let asked = error.retryAfter { quietUntil = time.now() + min(asked, ControlRecovery.longestRetryAfter) }
      throw error
    }
  }

  /// Whether nothing is to be sent unless somebody waits for it.
  var isQuiet: Bool { quietUntil.map { time.now() < $0 } ?? false }

  func heard(_ endpoint: ControlEndpoint, _ began: MonotonicTime) {
    let now = time.wall()
    unkept.counters.count(endpoint, took: time.now() - began, succeeded: now)
    unkept.heard = now
    isConnected = true
  }

  /// Tells an operator of a fault: each kind once an hour, as long as it lasts.
  func tell(_ fault: ControlFault) {
    let now = time.now()
    if let told = toldFaults[fault.kind], now - told < .seconds(3_600) { return }
    toldFaults[fault.kind] = now
    notify(.fault(fault))
  }

  /// Tells an operator that what was told is over: the next fault is told anew.
  func tellThatFaultsEnded() {
    guard !toldFaults.isEmpty else { return }
    toldFaults = [:]
    notify(.answers)
  }
}
