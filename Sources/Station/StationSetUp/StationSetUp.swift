internal import LinuxIO
package import ScanConfiguration
package import ScanModel
package import Sealing
package import TicketSystemKit

/// Everything by which a station is set up without a keyboard: set-up codes at its scanners, and its control service.
/// Outlives a reload of the configuration.
package final class StationSetUp: Sendable {
  package let registry = GateRegistry()
  private let controller: SetUpController
  private let supervisor: ControlSupervisor?
  private let session: ControlSession?
  private let reload: AsyncStream<Void>.Continuation
  /// An element when the station is to be put together anew, because a ticket system was enrolled.
  package let reloads: AsyncStream<Void>

  /// Puts it together. Reads the registration token; connects nowhere and waits for nothing.
  /// - Parameters:
  ///   - configuration: as it stands in the file.
  ///   - completed: the same with what ticket systems have given, by which the station runs.
  ///   - types: the ticket systems that codes may bring.
  ///   - keys: the state folder and the station's key.
  ///   - clockIsTrusted: whether the machine's civil time can be believed.
  /// - Throws: what keeps it from working.
  package init(
    _ configuration: StationConfiguration, completed: EnrolmentBook.Completed, types: [TicketSystemType],
    version: String, keys: SealKeySource, credentials: CredentialResolver, events: @escaping StationSetUpEvent.Sink,
    time: any TimeSource = SystemTime(), clockIsTrusted: @escaping @Sendable () -> Bool
  ) throws(SetupError) {
    let (reloads, reload) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
    self.reloads = reloads
    self.reload = reload
    let setUp = configuration.setUp ?? SetUpConfiguration()
    let session = try configuration.control.map { control throws(SetupError) in
      do throws(SystemError) {
        return try ControlSession(
          store: SealedRecordStore(keys: keys), server: ControlServer(control), version: version,
          registrationToken: Self.registrationToken(control, credentials) { words in
            events(.control(ControlEvent(state: .fault, kind: .authentication, detail: words, at: time.wall())))
          }, time: time,
          connect: ControlSession.connecting(as: configuration, time: time),
          notify: { events(.control(ControlEvent($0, at: time.wall()))) })
      } catch {
        throw SetupError(
          "The thread of the control service cannot be started (\(error.words)). Free memory or threads.")
      }
    }
    do throws(SystemError) {
      controller = try SetUpController(
        SetUpController.Settings(
          station: configuration.name, version: version, types: types, trust: setUp.trust?.path,
          caFile: setUp.caFile?.path),
        registry: registry, arming: SetUpArming(isMissing: true, window: setUp.window), session: session,
        book: EnrolmentBook(keys: keys),
        events: events, time: time, clockIsTrusted: clockIsTrusted,
        enrolled: { reload.yield() })
    } catch {
      throw SetupError("A thread for setting up cannot be started (\(error.words)). Free memory or threads.")
    }
    self.session = session
    let controller = controller
    let registry = registry
    supervisor = session.map {
      ControlSupervisor(
        $0, registry: registry, controller: controller, events: events, time: time, clockIsTrusted: clockIsTrusted)
    }
    if configuration.control != nil { registry.take { $0.activation = Self.missingActivation } }
    take(completed)
  }

  /// What the service wants to see of a new station; without it the station works as before, and the operator is told.
  private static func registrationToken(
    _ control: ControlServiceConfiguration, _ credentials: CredentialResolver, _ tell: (String) -> Void
  ) -> ControlToken? {
    guard let name = control.registration?.name else { return nil }
    do throws(SetupError) {
      if let token = ControlToken(try credentials(name)) { return token }
      tell("control.registration: the credential \(name) is no token. Set it again: scangate credential set \(name)")
    } catch {
      tell("control.registration: \(error.description)")
    }
    return nil
  }

  /// What a station is told that is not activated.
  static let missingActivation = "It is not activated."

  /// Takes the configuration by which the station is about to run: what it misses keeps its gates out of service.
  package func take(_ completed: EnrolmentBook.Completed) {
    registry.take {
      $0.enrolments = completed.missing
      $0.enrolled = []
    }
    controller.reviewSoon()
  }

  /// The configuration with what its ticket systems have given in the place of `enrol: true`.
  package func complete(_ configuration: StationConfiguration) async -> EnrolmentBook.Completed {
    await controller.complete(configuration)
  }

  /// Learns from the records what the station is; to be called before its gates run, and before `run`.
  package func start() async { await supervisor?.review() }

  /// Takes set-up codes and speaks with the control service until the task is cancelled.
  package func run() async {
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await self.controller.run(self.supervisor) }
      if let supervisor { group.addTask { await supervisor.run() } }
    }
  }

  /// Whether the controller takes what a reader told; from any thread, returns at once.
  package func takes(_ event: ReaderEvent) -> Bool { controller.takes(event) }

  /// Has set-up codes taken for so many minutes; likewise.
  /// - Returns: whether they are: else nothing is missing that a code could bring.
  package func arm(minutes: Int) -> Bool { controller.ordered(minutes: minutes) }

  /// How the station's set-up is.
  package struct Look: Sendable {
    /// Whether set-up codes are taken now.
    package var isArmed: Bool
    /// How the station stands with its control service, and with which; `nil` where there is none, or it cannot be told.
    package var control: Control?
    /// What was counted of it.
    package var counters: ControlCounters?
  }

  /// How it stands with its control service.
  package struct Control: Sendable {
    package var server: String?
    package var isActivated: Bool
    package var health: ControlHealth
    /// The configuration that holds; `nil` where none was fetched, or it is not activated.
    package var configuration: ControlConfiguration?
    /// What the station told of itself last, and what staff have set in its place.
    package var status: StationStatus?
    package var manualStatus: StationStatus?
  }

  /// What became of a status that staff have set.
  package enum StatusSetting: Sendable, Equatable {
    /// The service has it.
    case told
    /// It is kept, and will be told; why it was not yet.
    case toBeTold(String)
    /// There is no service to tell.
    case notActivated
    /// It could not be kept: why.
    case notKept(String)
  }

  /// Has the control service told a status in place of the station's own; `nil` goes back to that. Durable before it is told.
  package func setStatus(_ status: StationStatus?) async -> StatusSetting {
    guard let session else { return .notActivated }
    return await session.setStatus(status, else: registry.status)
  }

  /// How the set-up is now, by what is known: nobody is asked.
  /// - Parameter limit: how long the records are waited for; a disk can hold a call for minutes.
  package func look(within limit: Duration) async -> Look {
    let isArmed = registry.setUp.isArmed
    guard let session else { return Look(isArmed: isArmed) }
    let answer = OneAnswer<Look>()
    Task {
      guard let state = try? await session.state() else { return _ = answer.give(Look(isArmed: isArmed)) }
      let health = await session.health()
      let counters = await session.counters()
      answer.give(
        Look(
          isArmed: isArmed,
          control: Control(
            server: state.server?.name, isActivated: state.isActivated, health: health,
            configuration: state.isActivated ? state.configuration : nil, status: await session.lastStatus,
            manualStatus: state.manualStatus),
          counters: counters))
    }
    return await answer.first(within: limit, else: Look(isArmed: isArmed))
  }

  /// Staff have held a gate's set-up button; likewise.
  package func buttonHeld() { controller.buttonHeld() }
}
