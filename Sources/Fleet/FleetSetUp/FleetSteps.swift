internal import FleetBook
internal import JetStreamClaims

/// What people have to do with a fleet's files, in words. Pure.
enum FleetSteps {
  static func made(_ layout: FleetLayout) -> [String] {
    [
      "\(each(layout.nodes.map { "servers/\($0.name) to \($0.host)" })): copy, and there: sudo sh install.sh",
      "Make the event's book, once \(layout.nodes.count == 1 ? "it runs" : "they run"): scangate fleet open FOLDER",
      "\(each(layout.stations.map { "stations/\($0.name)" })): give each to its station, where docs/fleet-servers.md says how it takes it.",
      "Keep the folder where nobody else reads it: whoever has it can be any station and any server.",
    ]
  }

  static func readMe(_ layout: FleetLayout) -> String {
    """
    The fleet \(layout.name): \(layout.nodes.count) server\(layout.nodes.count == 1 ? "" : "s") with one book for its stations. Made by scangate fleet.

    servers/NAME    for the machine of that server, and nobody else: sudo sh install.sh puts it in its place.
    stations/NAME   for that station, and nobody else: its credential, the authority that signs the servers' certificates, and the
                    section of its configuration.
    keep            for nobody: by what is in it servers, stations and events are made, and the book is opened and closed.
    fleet.json      what the fleet is, without any secret. Written by scangate fleet alone.

    Stations connect to: \(layout.servers.map { "tls://\($0)" }.joined(separator: ", "))

    Whoever has this folder can be any station and any server: keep it on a medium that is locked away. It is needed again for a further
    station's credential, a station that was stolen, certificates that end (those of servers after two years), and the next event.

    """
  }

  /// One or several, in a sentence's beginning.
  static func each(_ words: [String]) -> String { words.joined(separator: ", ") }

  /// Where something has changed on all servers.
  static func install(_ layout: FleetLayout) -> String {
    layout.nodes.count == 1
      ? "Copy servers/\(layout.nodes[0].name) to it, and there: sudo sh install.sh"
      : "One server after the other, each once the one before is back (scangate fleet status FOLDER): copy its folder below servers to it, and there: sudo sh install.sh"
  }

  /// How a change goes on.
  static let next = "Only then go on: scangate fleet rotate next FOLDER"

  /// Where other authorities are believed.
  static let authority =
    "Give each station its fleet-ca.pem anew, from its folder below stations, and restart it where nobody passes just then: sudo systemctl restart scangate"

  /// Where whoever administers has another key.
  static let administrator =
    "Give each station its section fleet.yaml anew, from its folder below stations, and restart it where nobody passes just then: until then it believes no order for the whole fleet that is given now (scangate fleet maintenance)"

  static let administratorAlone =
    "A station believes orders by the former key as well until it has its section fleet.yaml anew, from its folder below stations; no server takes who has it any more."

  static func credential(_ station: StationID) -> String {
    "Give the station \(station) its credential anew: sudo scangate credential set fleet --file credential && rm credential; sudo systemctl restart scangate"
  }

  static func event(_ layout: FleetLayout) -> [String] {
    [
      "Make the new event's book: scangate fleet open FOLDER",
      "While nobody passes: give each station its credential and its section fleet.yaml anew, from its folder below stations, and restart it. A ticket that is good at both events would open once at stations of the old one and once at stations of the new one.",
    ]
  }

  static func revoked(_ station: StationID, _ layout: FleetLayout) -> [String] {
    [
      "Now, at each server: copy its folder below servers to it, and there: sudo sh install.sh. From then on it takes \(station) no more, and one that is connected is thrown out.",
      "What \(station) has written still counts; it stays in the section of the others until the event is over.",
      "Whoever has its credential knows by what this event's tickets are named, and learns of none by it. The next event has another key: scangate fleet rotate event NAME FOLDER",
    ]
  }

  static func added(_ station: StationID, _ layout: FleetLayout) -> [String] {
    [
      "First give every other station its section fleet.yaml anew, from its folder below stations, and restart it: what \(station) writes would be undecided for whoever does not know it.",
      install(layout),
      "Then give \(station) what is in stations/\(station).",
    ]
  }
}
