internal import ScanModel
internal import Sealing

/// Has the station's gates obey what its control service says, as long as the station runs, and lets the session speak with it.
///
/// ```
///   not activated ──a scan, a command, or a lost answer that was good──▶ activated ──reset by hand──▶ not activated
/// ```
/// Whatever becomes of the token or the service, gates that are in service stay so.
actor ControlSupervisor {
  private let session: ControlSession
  private let registry: GateRegistry
  private let controller: SetUpController
  private let events: StationSetUpEvent.Sink
  private let time: any TimeSource
  private let clockIsTrusted: @Sendable () -> Bool
  private let maintenanceClock = MaintenanceClock()

  /// Whether it was activated when it was looked at last; `nil` before the first look.
  private var wasActivated: Bool?
  /// What was told last of the records, so that a fault that lasts is told once.
  private var trouble: String?
  /// Why the maintenance window cannot be kept as it is meant; likewise.
  private var untoldWindow: String?

  /// The controller's thread: records and zones lie on a disk, which can hold a call for minutes.
  nonisolated var unownedExecutor: UnownedSerialExecutor { controller.unownedExecutor }

  /// How often the records are looked at, which commands change too.
  private static let interval = Duration.seconds(1)

  init(
    _ session: ControlSession, registry: GateRegistry, controller: SetUpController,
    events: @escaping StationSetUpEvent.Sink,
    time: any TimeSource,
    clockIsTrusted: @escaping @Sendable () -> Bool
  ) {
    self.session = session
    self.registry = registry
    self.controller = controller
    self.events = events
    self.time = time
    self.clockIsTrusted = clockIsTrusted
  }

  /// Serves until the task is cancelled.
  func run() async {
    let (statuses, status) = AsyncStream.makeStream(of: StationStatus.self, bufferingPolicy: .bufferingNewest(1))
    await withTaskCancellationHandler {
      await withTaskGroup(of: Void.self) { group in
        group.addTask { [session] in await session.work(statuses) }
        group.addTask { [registry] in
          var told: StationStatus?
          for await _ in registry.statusChanges where registry.status != told {
            let now = registry.status
            told = now
            status.yield(now)
          }
          status.finish()
        }
        while !Task.isCancelled {
          try? await Task.sleep(for: Self.interval)
          await review()
        }
        group.cancelAll()
      }
    } onCancel: {
      // What waits for an answer ends with its connection.
      Task { [session] in await session.close() }
    }
    await session.close()
  }

  /// Looks at what the station is to the service, whoever has changed it, and has the gates obey; to be called before `run`.
  func review() async {
    let state: ControlState
    do throws(SealFault) {
      state = try await session.state()
    } catch {
      if trouble != error.description { emit(.fault, .unknown, error.description) }
      trouble = error.description
      // Nobody knows whether it is activated: gates stay as they are, and at the start nothing is armed by it.
      if wasActivated == nil {
        registry.take { setUp in
          setUp.activation = error.description
          setUp.isUnreadable = true
        }
      }
      return
    }
    trouble = nil
    let closed = state.configuration.flatMap { closure(by: $0) }
    registry.take { setUp in
      setUp.activation = state.isActivated ? nil : StationSetUp.missingActivation
      setUp.closed = state.isActivated ? closed : nil
      setUp.isUnreadable = false
      setUp.lockOut = state.configuration?.lockOut
    }
    guard state.isActivated != wasActivated else { return }
    if state.isActivated, wasActivated == false {
      emit(.activated, nil, "The station is activated: \(state.words).")
    } else if wasActivated == true {
      emit(
        .reset, nil, "The station's activation was taken away: its gates are out of service until it is activated anew."
      )
    }
    wasActivated = state.isActivated
    controller.reviewSoon()
  }

  /// Why the service keeps the gates out of service now; `nil` where it does not.
  private func closure(by configuration: ControlConfiguration) -> String? {
    switch configuration.state {
    case .inactive: return "The control service has switched this station off."
    case .maintenance: return "The control service says that this station is being worked on."
    case .active, .offline, .error: break
    }
    guard let window = configuration.maintenance else { return nil }
    let reading = maintenanceClock.read(
      window, in: configuration.timeZone, at: time.wall(), isTrusted: clockIsTrusted())
    if let words = reading.words, words != untoldWindow { emit(.fault, .configuration, words) }
    untoldWindow = reading.words
    return reading.until.map { "The control service has its maintenance here until \($0.iso8601)." }
  }

  private func emit(_ state: ControlEvent.State, _ kind: ControlFaultKind?, _ detail: String) {
    events(.control(ControlEvent(state: state, kind: kind, detail: detail, at: time.wall())))
  }
}

extension ControlState {
  /// The station by the service's names, for staff.
  var words: String {
    let names = [configuration?.name, configuration?.roomName, configuration?.location].compactMap(\.self)
    let who = activation?.kioskID ?? stationID
    return names.isEmpty ? who : "\(names.joined(separator: ", ")) (\(who))"
  }
}

extension ControlEvent {
  /// The event of what the session tells.
  init(_ notice: ControlNotice, at time: WallTime) {
    let (state, kind): (State, ControlFaultKind?) =
      switch notice {
      case .configurationChanged: (.configured, nil)
      case .tokenExpiring, .tokenExpired: (.tokenEnding, nil)
      case .tokenRefused: (.tokenRefused, .authentication)
      case .tokenAccepted: (.tokenAccepted, nil)
      case .answers: (.answers, nil)
      case .fault(let fault): (.fault, fault.kind)
      case .record: (.fault, .unknown)
      }
    self.init(state: state, kind: kind, detail: notice.words, at: time)
  }
}
