internal import Enrolment
internal import FoundationEssentials
package import ScanConfiguration
package import ScanModel
package import Sealing
package import TicketSystemKit

/// What ticket systems have given this station for set-up codes: their addresses and keys, sealed in the state folder.
///
/// Its calls touch the disk: not for a cooperative thread of the service.
package struct EnrolmentBook: Sendable {
  /// What is kept of an enrolment.
  struct Entry: Codable, Equatable {
    /// What it says of one of the station's gates.
    struct Gate: Codable, Equatable {
      var saleTicket: Int64?
      var seat: String?
    }

    var version = 1
    var type: String
    var url: String
    var apiKey: String
    var gate: String
    /// By the names of the station's gates at whose scanners codes were held.
    var gates: [String: Gate]
    var at: WallTime

    /// Whether a gate of which it says nothing would take more than its ticket system meant.
    var isNarrow: Bool { gates.values.contains { $0.saleTicket != nil } }
  }

  private let records: SealedRecordStore

  /// Names the station's state folder and key; touches nothing.
  package init(keys: SealKeySource) { records = SealedRecordStore(keys: keys) }

  /// Forgets an enrolment: the next start awaits a set-up code again.
  /// - Returns: whether there was one.
  package func forget(_ system: TicketSystemID) throws(SealFault) -> Bool {
    try records.remove(Self.record(of: system))
  }

  /// An enrolment, as far as it may be shown.
  package struct Listed: Sendable, Equatable {
    /// The ticket system, as the configuration names it.
    package var system: TicketSystemID
    /// Where its API is.
    package var url: String
    /// Which gate the station is to it.
    package var gate: String
    /// When it was enrolled.
    package var at: WallTime
  }

  /// All enrolments, by the names of the systems.
  /// - Throws: why they cannot be read.
  package func list() throws(SealFault) -> [Listed] {
    var listed: [Listed] = []
    for name in try records.names() {
      guard let system = Self.system(ofRecord: name), let entry = try entry(of: system) else { continue }
      listed.append(Listed(system: system, url: entry.url, gate: entry.gate, at: entry.at))
    }
    return listed.sorted { $0.system.name < $1.system.name }
  }

  /// A configuration, and what could not be completed in it.
  package struct Completed: Sendable {
    /// The configuration with what its ticket systems have given in the place of `enrol: true`.
    package var configuration: StationConfiguration
    /// Why an enrolment cannot be used: its system stays unenrolled, and the others work.
    package var problems: [TicketSystemID: String] = [:]
    /// The keys of those that can.
    var keys: [String: GivenKey] = [:]

    /// A configuration that needs nothing, or has everything.
    package init(configuration: StationConfiguration) { self.configuration = configuration }

    /// The ticket systems that await their set-up code, and why, in words.
    package var missing: [TicketSystemID: String] {
      var missing: [TicketSystemID: String] = [:]
      for system in configuration.ticketSystems where system.isUnenrolled {
        missing[system.id] = problems[system.id] ?? "Its ticket system \(system.id) is not enrolled."
      }
      return missing
    }

    /// Finds the keys that enrolments gave, and asks `other` for all that the configuration names.
    package func resolver(else other: CredentialResolver) -> CredentialResolver {
      let keys = keys
      return CredentialResolver(sessions: other.sessions) { name throws(SetupError) in
        guard name.hasPrefix(CredentialReference.enrolledPrefix) else { return try other(name) }
        guard let key = keys[name] else {
          throw SetupError("it is not enrolled. Hold its set-up code to the scanner.")
        }
        return key.text
      }
    }
  }

  /// Completes a configuration with what its ticket systems have given.
  package func complete(_ configuration: StationConfiguration) -> Completed {
    var completed = Completed(configuration: configuration)
    var found: [(index: Int, entry: Entry)] = []
    for (index, system) in configuration.ticketSystems.enumerated() where system.isUnenrolled {
      do throws(SealFault) {
        if let entry = try entry(of: system.id) { found.append((index, entry)) }
      } catch {
        completed.problems[system.id] = error.description
      }
    }
    // Who came first stays: what is enrolled later takes nothing out of service.
    for (index, entry) in found.sorted(by: { $0.entry.at < $1.entry.at }) {
      let system = configuration.ticketSystems[index]
      do throws(SealFault) {
        let credential = CredentialReference.enrolledPrefix + system.id.name
        guard entry.type == system.type.name, let enrolled = system.enrolled(at: entry.url, credential: credential),
          let key = GivenKey(entry.apiKey)
        else {
          throw SealFault(
            .refused, "\(system.id) was enrolled as \(entry.type) at \(entry.url). \(Self.cure(system.id))")
        }
        try Self.check(enrolled, against: completed.configuration)
        completed.configuration.gates = try gates(of: system, entry, in: completed.configuration.gates)
        completed.configuration.ticketSystems[index] = enrolled
        completed.keys[credential] = key
      } catch {
        completed.problems[system.id] = error.description
      }
    }
    return completed
  }

  /// A server has one ledger, whatever it is called: with two scopes the whole station could not start.
  private static func check(
    _ enrolled: TicketSystemConfiguration, against configuration: StationConfiguration
  ) throws(SealFault) {
    for other in configuration.ticketSystems
    where other.id != enrolled.id && !other.isUnenrolled && other.address == enrolled.address
      && other.scope != enrolled.scope
    {
      throw SealFault(
        .refused,
        "\(enrolled.id) was enrolled at the server of \(other.id), and has another scope. Give both the same in the "
          + "configuration, or: scangate enrolment forget \(enrolled.id)")
    }
  }

  /// The gates with what the ticket system says of them, where the file says nothing.
  /// - Throws: where a gate would take every ticket because the code that said which was held to another one.
  private func gates(
    of system: TicketSystemConfiguration, _ entry: Entry, in gates: [GateConfiguration]
  ) throws(SealFault) -> [GateConfiguration] {
    var gates = gates
    for index in gates.indices where gates[index].ticketSystem == system.id {
      if let told = entry.gates[gates[index].id.name] {
        if told.saleTicket == nil, told.seat == nil { continue }
        gates[index].ticket = system.type.enrolled(
          gate: gates[index].ticket, EnrolledGate(saleTicket: told.saleTicket, seat: told.seat))
      } else if entry.isNarrow, gates[index].direction == .in, !system.type.isNarrow(gate: gates[index].ticket) {
        throw SealFault(
          .refused,
          "Gate \(gates[index].id) has no set-up code of its own, and those of \(entry.gates.keys.sorted().joined(separator: ", ")) "
            + "were for one sale ticket: hold its code to its scanner, or write gates.\(gates[index].id).ticket.")
      }
    }
    return gates
  }

  /// Keeps what a ticket system gave; when this returns, it is on the disk. What it gave other gates of the station holds.
  func keep(
    _ enrolment: Enrolment, of system: TicketSystemID, by gate: GateID, at time: WallTime
  ) throws(SealFault) {
    var former: Entry?
    do throws(SealFault) {
      former = try self.entry(of: system)
    } catch {
      // A damaged one is replaced; one that a disk does not give now may say which tickets other gates take.
      guard error.kind == .damaged || error.kind == .refused else { throw error }
    }
    let others = former?.gates.keys.filter { $0 != gate.name }.sorted() ?? []
    if let former, former.url != enrolment.url, !others.isEmpty {
      throw SealFault(
        .refused,
        "\(system) is enrolled at \(former.url) by the code of \(others.joined(separator: ", ")), and cannot be at "
          + "\(enrolment.url) too. "
          + "If that is the right one: scangate enrolment forget \(system). Then show a new set-up code.")
    }
    var gates = former?.url == enrolment.url ? former?.gates ?? [:] : [:]
    gates[gate.name] = Entry.Gate(saleTicket: enrolment.saleTicket, seat: enrolment.seat)
    let entry = Entry(
      type: enrolment.type, url: enrolment.url, apiKey: enrolment.apiKey.text, gate: enrolment.gate, gates: gates,
      at: time)
    guard let bytes = try? JSONEncoder().encode(entry) else {
      throw SealFault(.refused, "What the ticket system gave cannot be kept. Ask its operator.")
    }
    try records.set(Self.record(of: system), [UInt8](bytes))
  }

  private func entry(of system: TicketSystemID) throws(SealFault) -> Entry? {
    guard let bytes = try records.get(Self.record(of: system)) else { return nil }
    guard let entry = try? JSONDecoder().decode(Entry.self, from: Data(bytes)), entry.version == 1 else {
      throw SealFault(
        .refused,
        "The enrolment of \(system) cannot be read. \(Self.cure(system))")
    }
    return entry
  }

  private static func cure(_ system: TicketSystemID) -> String {
    "Forget it with: scangate enrolment forget \(system). Then show a new set-up code."
  }

  /// Who the station is to ticket systems; made once.
  func identity(version: String) throws(SealFault) -> StationIdentity {
    let bytes = try records.update(Self.stationRecord, replacingDamaged: true) { old in
      if let old, StationUUID.isOne(String(decoding: old, as: UTF8.self)) { return old }
      return [UInt8](StationUUID.make().utf8)
    }
    return StationIdentity(id: String(decoding: bytes ?? [], as: UTF8.self), version: version)
  }

  private static let stationRecord = "station"

  private static let recordPrefix = "enrolment."

  /// The system whose enrolment a record is; `nil` where it is none.
  private static func system(ofRecord name: String) -> TicketSystemID? {
    guard name.hasPrefix(recordPrefix) else { return nil }
    var bytes: [UInt8] = []
    var rest = name.dropFirst(recordPrefix.count)
    while let first = rest.first {
      if first == "." {
        guard let byte = UInt8(rest.dropFirst().prefix(2), radix: 16) else { return nil }
        bytes.append(byte)
        rest = rest.dropFirst(3)
      } else {
        bytes += String(first).utf8
        rest = rest.dropFirst()
      }
    }
    return TicketSystemID(String(decoding: bytes, as: UTF8.self))
  }

  /// The record's name: what a record's name cannot have is written as a dot and two hexadecimal digits.
  private static func record(of system: TicketSystemID) -> String {
    recordPrefix
      + system.name.utf8.map { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"):
          String(decoding: [byte], as: UTF8.self)
        default: "." + String(UInt16(byte) + 0x100, radix: 16).dropFirst()
        }
      }.joined()
  }
}
