package import FleetBook
internal import JetStreamClaims
package import LibCrypto

/// A fleet as its folder has it: who its servers and stations are, and how far a change has come. No secret is in it.
package struct FleetLayout: Sendable, Equatable {
  /// A station of a fleet.
  package struct Station: Sendable, Equatable {
    /// Its name.
    package var name: StationID
    /// By what its claims are believed, for as long as the event lasts.
    package var signs: Ed25519.PublicKey
    /// By what servers take it; two while one follows the other, none once it was revoked.
    package var keys: [String]
    /// When it was revoked, in seconds since 1970, by the clock of whoever did; `nil` where it was not, or nobody has written that down.
    package var revokedAt: Int64?

    /// Whether no server takes it any more. What it wrote before still counts.
    package var isRevoked: Bool { keys.isEmpty }
  }

  /// A change that is under way: each has an old and a new that both hold, until the old one goes.
  package enum Rotation: Sendable, Equatable {
    /// Another authority for the servers' certificates is believed beside the former.
    case authority
    /// The servers have certificates of the new one; the former is believed as well.
    case certificates
    /// A station has another key for its servers.
    case credential(StationID)
    /// Whoever administers has another key.
    case administrator
    /// Another event, with a book and a fleet key of its own.
    case event
  }

  /// The fleet's name.
  package var name: String
  /// The event, and so the bucket.
  package var event: String
  /// The event before, for as long as its book can be written.
  package var formerEvent: String?
  /// Whether the event's book was made: one that is no more is not made anew without a word, for every used ticket would be new.
  package var wasOpened = false
  package var nodes: [FleetNode]
  package var stations: [Station]
  /// Keys of whoever makes and closes books; two while one follows the other.
  package var administrators: [String]
  /// The number of the authority that signs the servers' certificates.
  package var authority = 1
  /// The numbers of those that are believed.
  package var believed = [1]
  /// Where stations connect to, and where the other servers do.
  package var port: UInt16 = 4_222
  package var routePort: UInt16 = 6_222
  /// How many bytes the book of one event may take on each server's disk.
  package var room: Int64 = 500_000_000
  /// The same for the lists of tickets that its stations give each other.
  package var listRoom: Int64 { room / 4 }
  package var rotation: Rotation?

  /// What a fleet's, an event's and a station's name have.
  package static let nameRule = "1 to \(StationID.longest) of a-z, 0-9 and -"
  /// How many stations a fleet has at most.
  package static let most = 200
  /// What the room of an event may be, in bytes.
  package static let rooms: ClosedRange<Int64> = 10_000_000...100_000_000_000

  /// By what stations believe orders of whoever administers.
  package var administratorKeys: [Ed25519.PublicKey] { administrators.compactMap { NKey.publicKey(of: $0) } }

  /// Where a station connects to.
  package var servers: [FleetServer] { nodes.map { .init(host: $0.host, port: port) } }

  /// - Throws: what is wrong with it.
  func check() throws(FleetFault) {
    guard StationID(name) != nil else { throw FleetFault(.asked, "A fleet's name has \(Self.nameRule).") }
    guard StationID(event) != nil else { throw FleetFault(.asked, "An event's name has \(Self.nameRule).") }
    guard [1, 3].contains(nodes.count) else {
      throw FleetFault(
        .asked,
        "A fleet has 1 or 3 servers, not \(nodes.count): of 2 none may be lost, for a majority has to be there; and a claim lies on no more than 3."
      )
    }
    guard Set(nodes.map(\.name)).count == nodes.count else {
      throw FleetFault(.asked, "Two servers have one name: give each its own, as in gate1=10.0.0.11.")
    }
    guard Set(nodes.map(\.host)).count == nodes.count else {
      throw FleetFault(.asked, "Two servers are at one place: what is lost with one machine is lost with both.")
    }
    guard (1...Self.most).contains(stations.count) else {
      throw FleetFault(.asked, "A fleet has 1 to \(Self.most) stations, not \(stations.count).")
    }
    guard Set(stations.map(\.name)).count == stations.count else {
      throw FleetFault(.asked, "Two stations have one name: their claims could not be told apart.")
    }
    guard port > 0, routePort > 0, port != routePort else {
      throw FleetFault(.asked, "Stations and servers want two ports, from 1 to 65535.")
    }
    guard Self.rooms.contains(room) else {
      throw FleetFault(
        .asked, "An event's book has 10 MB to 100 GB on each server. A million tickets want about 500 MB.")
    }
  }
}
