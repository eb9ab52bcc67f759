public import ScanConfiguration
internal import EventSchedule
internal import LinuxIO
public import ScanModel
internal import ScanPipeline
internal import TicketTransport

/// A configured ticket system, ready to be asked: shared by its gates, with one budget and one set of connections.
public struct TicketSystemConnection: Sendable {
  /// The system's name.
  public var id: TicketSystemID
  /// The system as a gate asks it, with what the gate's own `ticket` section adds.
  public var face: @Sendable (_ ticket: (any Sendable)?) -> any TicketSystem
  /// What it tells of all that it has sold; `nil` where it does not.
  public var roster: (any TicketRoster)?
  /// Ends its connections.
  public var close: @Sendable () async -> Void
}

/// Finds a credential of the station by its name.
/// - Throws: that there is none, or why it cannot be had, and what to do.
public typealias CredentialResolver = @Sendable (_ name: String) throws(SetupError) -> String

/// What a connection is for.
public enum ConnectionUse: Sendable {
  /// Gates: the whole budget, small answers.
  case gates
  /// A list to be taken on board, perhaps beside a running service: a quarter of the budget, long answers.
  case list

  /// How much of the budget may be used.
  var share: Double { self == .gates ? 1 : 0.25 }
}

/// The ticket systems that scangate knows: one section type and one case each.
public enum TicketSystemRegistry {
  /// The sections of the configuration, by their `type:`.
  public static let sections: [any TicketSystemSection.Type] = [EventScheduleSection.self]

  /// Makes the connection of a configured system. Reads its key; connects nowhere.
  /// - Parameter credentials: where keys are that the configuration names.
  /// - Throws: what is wrong with its key, its certificate file or its address.
  public static func connect(
    _ configuration: TicketSystemConfiguration, for use: ConnectionUse = .gates, credentials: CredentialResolver,
    time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    switch configuration.settings {
    case is EventScheduleSection.System where configuration.isUnenrolled && use == .gates:
      let system = UnenrolledTicketSystem(id: configuration.id)
      return TicketSystemConnection(id: configuration.id, face: { _ in system }, roster: nil, close: {})
    case let settings as EventScheduleSection.System:
      return try connect(configuration.id, settings, for: use, credentials: credentials, time: time)
    default:
      throw SetupError("Ticket system \(configuration.id): nothing here speaks \(configuration.type).")
    }
  }

  /// Which server a configured system is, of which type: what its ledger belongs to.
  public static func address(of configuration: TicketSystemConfiguration) -> String {
    guard case .configured(let url, _) = (configuration.settings as? EventScheduleSection.System)?.place else {
      return "\(configuration.type) (\(configuration.id) is not enrolled)"
    }
    return "\(configuration.type) \(url)"
  }

  /// What a key and an address are called in the configuration of a system, for words.
  static func settingNames(of configuration: TicketSystemConfiguration) -> (address: String, key: String)? {
    guard let settings = configuration.settings as? EventScheduleSection.System,
      case .configured(let url, let key) = settings.place
    else { return nil }
    return ("\(url)", key.name)
  }

  /// The own form of codes of a configured system, without a connection: what its `recognise` gives at a gate.
  public static func recogniser(of configuration: TicketSystemConfiguration) -> @Sendable (Code) -> Code {
    switch configuration.settings {
    case is EventScheduleSection.System: { EventScheduleTicketSystem.secret(in: $0) }
    default: { $0 }
    }
  }

  /// What a configured system may take for one another's spelling, likewise: what its `foldedKey` gives at a gate.
  public static func folding(of configuration: TicketSystemConfiguration) -> @Sendable (Code) -> TicketKey? {
    switch configuration.settings {
    case is EventScheduleSection.System: { EventScheduleTicketSystem.foldedKey(of: $0) }
    default: { _ in nil }
    }
  }

  /// What ticket systems of every type take a code for: two codes that share one of these are spellings of one ticket, as far as
  /// any of them can tell.
  public static func tickets(of code: Code) -> Set<TicketKey> {
    [EventScheduleTicketSystem.foldedKey(of: EventScheduleTicketSystem.secret(in: code))]
  }

  /// How many requests a minute this station may send to a configured system; `nil` where nothing bounds them.
  static func budget(of configuration: TicketSystemConfiguration) -> Int? {
    guard let rate = (configuration.settings as? EventScheduleSection.System)?.rate else { return nil }
    return rate.limit * rate.share / 100
  }

  private static func connect(
    _ id: TicketSystemID, _ settings: EventScheduleSection.System, for use: ConnectionUse,
    credentials: CredentialResolver, time: any TimeSource
  ) throws(SetupError) -> TicketSystemConnection {
    guard case .configured(let url, let place) = settings.place else {
      throw SetupError("Ticket system \(id): the station is not enrolled. Hold a set-up code to its scanner.")
    }
    let server: ServerAddress
    do {
      server = try ServerAddress(url.description, allowPlainHTTP: settings.allowPlainHTTP)
    } catch {
      throw SetupError("Ticket system \(id): \(error.description)")
    }
    var transportSettings = HTTPTransport.Settings()
    transportSettings.words = ServerWords(naming: settings, of: id)
    if let caFile = settings.caFile { transportSettings.trust = .onlyFile(path: caFile.path) }
    if use == .list { transportSettings.mostBytes = 4 << 20 }
    let transport: HTTPTransport
    do {
      transport = try HTTPTransport(server: server, settings: transportSettings, time: time)
    } catch {
      throw SetupError("Ticket system \(id): \(error.description)")
    }
    let budget = RateBudget(
      limit: settings.rate.limit, share: Double(settings.rate.share) / 100 * use.share,
      model: RateBudget.Model(rawValue: settings.rate.model.rawValue) ?? .both)
    let client = EventScheduleClient(
      transport: transport, key: try key(for: id, place, credentials), budget: budget, time: time)
    return TicketSystemConnection(
      id: id,
      face: { ticket in
        let gate = ticket as? EventScheduleSection.Gate
        return EventScheduleTicketSystem(
          id: id, client: client, saleTicketID: gate?.saleTicket.map { Int64($0) }, seatNumber: gate?.seat)
      },
      roster: EventScheduleRoster(client: client, time: time), close: { await transport.close() })
  }

  private static func key(
    for id: TicketSystemID, _ place: EventScheduleSection.Key, _ credentials: CredentialResolver
  ) throws(SetupError) -> Secret {
    let credential: CredentialReference
    switch place {
    case .file(let file): return try key(for: id, in: file.path)
    case .credential(let reference): credential = reference
    }
    let text: String
    do throws(SetupError) {
      text = try credentials(credential.name)
    } catch {
      throw SetupError("ticketSystems.\(id): \(error.description)")
    }
    do {
      return try Secret(text)
    } catch {
      throw SetupError("ticketSystems.\(id), credential \(credential.name): \(error.description)")
    }
  }

  private static func key(for id: TicketSystemID, in path: String) throws(SetupError) -> Secret {
    let text: String
    do {
      switch try KeyFile.read(path) {
      case .absent:
        throw SetupError(
          "Ticket system \(id): there is no key file \(path). Put the API key into it, alone on its line.")
      case .key(let key):
        text = key
      }
    } catch let error as SystemError {
      throw SetupError(
        "Ticket system \(id): the key file \(path) cannot be read (\(error.words)). Let the service read it.")
    } catch let error as SetupError {
      throw error
    } catch {
      throw SetupError("Ticket system \(id): the key file \(path) cannot be read.")
    }
    do {
      return try Secret(text)
    } catch {
      throw SetupError("Ticket system \(id), key file \(path): \(error.description)")
    }
  }
}
