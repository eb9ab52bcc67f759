import StationSetUp
import ControlTesting
import Foundation
import ScanModel
import ScanTesting
import Sealing
import Synchronization

@testable import Gateway

/// A state folder and a service's books of a test's own.
final class ControlFixture: Sendable {
  let folder = FileManager.default.temporaryDirectory.appending(path: "control-\(UUID().uuidString)").path
  let time = ManualTime()
  let notices = Mutex<[ControlNotice]>([])

  init() throws {
    for path in [folder, state, books] {
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  var state: String { folder + "/state" }
  var books: String { folder + "/books" }
  var store: SealedRecordStore { SealedRecordStore(keys: SealKeySource(state: state, given: nil)) }
  var deadline: MonotonicTime { time.now() + .seconds(10) }

  static let server = ControlServer(url: "https://service.example", name: "service.example:443")
  static let other = ControlServer(url: "https://other.example", name: "other.example:443")

  func service(_ gift: FolderService.Gift) -> FolderService { FolderService(folder: books, gift: gift) }

  func session(
    _ control: any StationControl, server: ControlServer? = ControlFixture.server, token: ControlToken? = nil
  ) throws -> ControlSession {
    let time = time
    return try ControlSession(
      store: store, server: server, version: "1.2.3", registrationToken: token, time: time, connect: { _ in control },
      pause: { time.advance(by: $0) },
      notify: { [weak self] notice in self?.notices.withLock { $0.append(notice) } })
  }

  /// A session at work for a while of the fixture's time.
  func work(
    _ control: any StationControl, token: ControlToken? = nil, saying status: StationStatus? = nil,
    for duration: Duration
  ) async throws {
    let (statuses, tell) = AsyncStream<StationStatus>.makeStream(bufferingPolicy: .bufferingNewest(1))
    if let status { tell.yield(status) }
    let (done, finish) = AsyncStream<Void>.makeStream()
    let time = time
    let end = time.now() + duration
    let session = try ControlSession(
      store: store, server: Self.server, version: "1", registrationToken: token, time: time, connect: { _ in control },
      pause: { wait in
        try Task.checkCancellation()
        time.advance(by: wait)
        if time.now() > end {
          finish.finish()
          throw CancellationError()
        }
        await Task.yield()
      })
    let work = Task { await session.work(statuses) }
    for await _ in done {}
    work.cancel()
    tell.finish()
    await work.value
  }

  var told: [ControlNotice] { notices.withLock { $0 } }
}

/// A control service that a test writes, call by call; what it was asked is kept.
final class WrittenService: StationControl {
  /// What happens at a call.
  struct Hold {
    var body: (@Sendable () async -> Void)?
  }

  /// The same, where nobody waits for it.
  struct Look {
    var body: (@Sendable () -> Void)?
  }

  let server = "service.example:443"
  let calls = Mutex<[String]>([])
  /// Why it does not activate.
  let refusal = Mutex<ActivationFault?>(nil)
  /// The token that it gives.
  let token = Mutex<ControlToken?>(ControlToken("t"))
  let expires = Mutex<WallTime?>(nil)
  let configured = Mutex<Result<ControlConfiguration, ControlFault>>(.success(ControlConfiguration()))
  let validated = Mutex<ControlFault?>(nil)
  let registered = Mutex<ControlFault?>(nil)
  let well = Mutex<ControlFault?>(nil)
  let reported = Mutex<ControlFault?>(nil)
  /// Whom it activates; `nil` for who asks.
  let given = Mutex<String?>(nil)
  /// The only token that it takes from then on; `nil` takes any, and none.
  let takes = Mutex<ControlToken?>(nil)
  /// Holds a configuration back until a test lets go.
  let atConfiguration = Mutex(Hold())
  /// Who was registered.
  let registeredIDs = Mutex<[String]>([])
  /// What happens before it answers an activation.
  let meanwhile = Mutex(Hold())
  /// What happens before it answers a status.
  let atReport = Mutex(Look())

  var asked: [String] { calls.withLock { $0 } }
  private func note(_ call: String) { calls.withLock { $0.append(call) } }
  private func answer(_ fault: ControlFault?) throws(ControlFault) { if let fault { throw fault } }

  func health(deadline: MonotonicTime) async throws(ControlFault) {
    note("health")
    try answer(well.withLock { $0 })
  }

  func register(
    _ station: StationIdentity, token: ControlToken?, deadline: MonotonicTime
  ) async throws(ControlFault) {
    note("register \(token?.text ?? "-")")
    registeredIDs.withLock { $0.append(station.id) }
    try answer(registered.withLock { $0 })
  }

  func activate(
    _ code: ActivationCode, as station: StationIdentity, deadline: MonotonicTime
  ) async throws(ActivationFault) -> Activation {
    note("activate \(code.code)")
    if let body = meanwhile.withLock({ $0.body }) { await body() }
    if let refusal = refusal.withLock({ $0 }) { throw refusal }
    return Activation(
      kioskID: given.withLock { $0 } ?? station.id, token: token.withLock { $0 }, expires: expires.withLock { $0 })
  }

  func configuration(
    of activation: Activation, refreshing: Bool, deadline: MonotonicTime
  ) async throws(ControlFault) -> ControlConfiguration {
    note("configuration \(activation.token?.text ?? "-")\(refreshing ? " refreshing" : "")")
    if let body = atConfiguration.withLock({ $0.body }) { await body() }
    try check(activation)
    switch configured.withLock({ $0 }) {
    case .success(let configuration): return configuration
    case .failure(let fault): throw fault
    }
  }

  func report(
    _ status: StationStatus, isManual: Bool, at time: WallTime, of activation: Activation, deadline: MonotonicTime
  ) async throws(ControlFault) {
    note("report \(status.rawValue)\(isManual ? " by hand" : "")")
    try check(activation)
    let fault = reported.withLock { $0 }
    atReport.withLock { $0.body }?()
    try answer(fault)
  }

  func validate(_ activation: Activation, deadline: MonotonicTime) async throws(ControlFault) {
    note("validate")
    try check(activation)
    try answer(validated.withLock { $0 })
  }

  private func check(_ activation: Activation) throws(ControlFault) {
    guard let token = takes.withLock({ $0 }), activation.token != token else { return }
    throw ControlFault(.authentication, "401", status: 401)
  }

  func close() async { note("close") }
}
