internal import ArgumentParser
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// What commands about connected servers have in common.
struct InstanceArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp("The state folder; without it that of the service, or your own.", valueName: "folder"),
    completion: .directory)
  var state: String?

  /// How long a question may take.
  static var deadline: MonotonicTime { SystemTime().now() + .seconds(15) }

  /// All connected servers, by name.
  func all(_ program: any CommandHost) throws -> [ConnectedInstance] {
    try program.keys.records(state: state).compactMap(ConnectedInstance.name(ofRecord:)).sorted().compactMap {
      try get($0, program)
    }
  }

  /// A connected server; `nil` where there is none of that name.
  func get(_ name: String, _ program: any CommandHost) throws -> ConnectedInstance? {
    guard let bytes = try program.keys.record(ConnectedInstance.record(of: name), state: state) else { return nil }
    guard let instance = ConnectedInstance(name: name, bytes) else {
      throw program.failure(
        "What is kept of \(name) is of another version. Take it away with: scangate eventschedule forget \(name)",
        Status.unavailable)
    }
    return instance
  }

  /// The server of that name; without one the only one.
  func find(_ name: String?, _ program: any CommandHost) throws -> ConnectedInstance {
    if let name {
      // It is shown only where it can be a name: somebody may have typed a key.
      guard ConnectedInstance.isName(name) else { throw program.failure("That is no name of a server.", Status.usage) }
      if let instance = try get(name, program) { return instance }
      throw program.failure("No server \(name) is connected. See: scangate eventschedule instances", Status.unavailable)
    }
    let all = try all(program)
    guard let first = all.first else {
      throw program.failure(
        "No server is connected. Begin with: scangate eventschedule connect URL", Status.unavailable)
    }
    guard all.count == 1 else {
      throw program.failure("Say which: \(all.map(\.name).joined(separator: ", ")).", Status.usage)
    }
    return first
  }

  /// The server of that name, where its key was put in for it alone.
  /// - Parameter command: what is done with another credential instead.
  func owner(_ name: String, _ program: any CommandHost, instead command: String) throws -> ConnectedInstance {
    let instance = try find(name, program)
    guard instance.ownsCredential else {
      throw program.failure(
        "The key of \(instance.name) is the credential \(instance.credential), which was there before it, and may serve others: "
          + "scangate credential \(command) \(instance.credential)", Status.usage)
    }
    return instance
  }

  /// Keeps a server.
  func keep(_ instance: ConnectedInstance, _ program: any CommandHost) throws {
    try program.keys.set(instance.bytes, record: ConnectedInstance.record(of: instance.name), state: state)
  }

  /// The key of a connected server.
  func key(of instance: ConnectedInstance, _ program: any CommandHost) throws -> Secret {
    guard instance.ownsCredential, try !program.keys.hasCredential(instance.credential, state: state) else {
      return try key(instance.credential, program)
    }
    // It is proved there before it is kept.
    throw program.failure(
      "\(instance.name) has no key. Put it in with: scangate eventschedule key set \(instance.name)", Status.unavailable
    )
  }

  /// A key that was put in before.
  func key(_ credential: String, _ program: any CommandHost) throws -> Secret {
    do {
      return try Secret(program.credentials(state: state)(credential))
    } catch {
      throw program.failure("\(error)", Status.unavailable)
    }
  }

  /// Asks a server with a key for its events, and so proves it.
  func prove(
    _ key: Secret, at api: ServerAddress, _ client: InstanceClient, _ program: any CommandHost
  ) async throws -> EventPage {
    do throws(TransportFault) {
      return try await client.events(at: api, key: key, deadline: Self.deadline)
    } catch {
      throw program.failure(error.detail, Status.unavailable)
    }
  }
}

/// Exit statuses, as all commands have them (sysexits.h).
enum Status {
  static let usage: Int32 = 64
  static let data: Int32 = 65
  static let unavailable: Int32 = 69
  static let output: Int32 = 74
}

extension InstanceClient {
  /// A client of a connected server.
  init(_ instance: ConnectedInstance) {
    self.init(typed: instance.url, settings: .trusting(instance.caFile))
  }
}

extension HTTPTransport.Settings {
  /// Those that trust the system's authorities, or only those in a file.
  static func trusting(_ caFile: String?) -> HTTPTransport.Settings {
    var settings = HTTPTransport.Settings()
    if let caFile { settings.trust = .onlyFile(path: caFile) }
    return settings
  }
}
