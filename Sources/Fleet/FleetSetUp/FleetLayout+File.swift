internal import FleetBook
internal import LibCrypto
internal import WireText

/// The layout as a file: JSON, which `scangate fleet` alone writes.
extension FleetLayout {
  /// What the file has.
  var text: String {
    var object = JSONText()
    object.add("version", 1)
    object.add("fleet", name)
    object.add("event", event)
    object.add("formerEvent", formerEvent)
    object.add("wasOpened", wasOpened)
    object.add("nodes", texts: nodes.map(\.description))
    object.add(
      "stations",
      objects: stations.map { station in
        var object = JSONText()
        object.add("name", station.name.description)
        object.add("signs", StationKeyText.text(station.signs))
        object.add("keys", texts: station.keys)
        if let revokedAt = station.revokedAt { object.add("revokedAt", revokedAt) }
        return object.text
      })
    object.add("administrators", texts: administrators)
    object.add("authority", Int64(authority))
    object.add("believed", texts: believed.map(String.init))
    object.add("port", Int64(port))
    object.add("routePort", Int64(routePort))
    object.add("room", room)
    object.add("rotation", rotation?.word)
    return object.text + "\n"
  }

  /// Reads it.
  /// - Parameter file: its name, for the words of a fault.
  init(_ bytes: [UInt8], file: String) throws(FleetFault) {
    let other = FleetFault(
      .data, "\(file) is no fleet's layout as this version of scangate fleet writes it, or was changed by hand.")
    guard let json = try? JSONValue(bytes), json["version"]?.integer == 1, let name = json["fleet"]?.string,
      let event = json["event"]?.string, let port = json["port"]?.integer.flatMap(UInt16.init(exactly:)),
      let routePort = json["routePort"]?.integer.flatMap(UInt16.init(exactly:)), let room = json["room"]?.integer,
      let authority = json["authority"]?.integer.flatMap(Int.init(exactly:)), let nodes = json["nodes"]?.array,
      let stations = json["stations"]?.array, let believed = json["believed"]?.array,
      let administrators = json["administrators"]?.array?.compactMap(\.string)
    else { throw other }
    self.init(
      name: name, event: event, formerEvent: json["formerEvent"]?.string,
      nodes: nodes.compactMap { $0.string.flatMap(FleetNode.init) }, stations: stations.compactMap(Station.init),
      administrators: administrators)
    (self.port, self.routePort, self.room, self.authority) = (port, routePort, room, authority)
    wasOpened = json["wasOpened"] != .bool(false)
    self.believed = believed.compactMap { $0.integer.flatMap(Int.init(exactly:)) }
    if let word = json["rotation"]?.string {
      guard let rotation = Rotation(word: word) else { throw other }
      self.rotation = rotation
    }
    guard self.nodes.count == nodes.count, self.stations.count == stations.count, self.believed.contains(authority),
      self.believed.count == believed.count, (1...2).contains(administrators.count),
      formerEvent.map({ StationID($0) != nil }) ?? true
    else { throw other }
    do throws(FleetFault) { try check() } catch { throw FleetFault(.data, "\(file): \(error.description)") }
  }
}

extension FleetLayout.Station {
  fileprivate init?(_ json: JSONValue) {
    guard let name = json["name"]?.string.flatMap(StationID.init), let text = json["signs"]?.string,
      let signs = StationKeyText.key(text), let keys = json["keys"]?.array?.compactMap(\.string), keys.count <= 2
    else { return nil }
    self.init(name: name, signs: signs, keys: keys, revokedAt: json["revokedAt"]?.integer)
  }
}

extension FleetLayout.Rotation {
  fileprivate var word: String {
    switch self {
    case .authority: "authority"
    case .certificates: "certificates"
    case .credential(let station): "credential \(station)"
    case .administrator: "administrator"
    case .event: "event"
    }
  }

  fileprivate init?(word: String) {
    switch word {
    case "authority": self = .authority
    case "certificates": self = .certificates
    case "administrator": self = .administrator
    case "event": self = .event
    default:
      let head = "credential "
      guard word.hasPrefix(head), let station = StationID(String(word.dropFirst(head.count))) else { return nil }
      self = .credential(station)
    }
  }
}
