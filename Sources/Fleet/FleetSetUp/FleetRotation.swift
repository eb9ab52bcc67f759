package import FleetBook
internal import JetStreamClaims
internal import LibCrypto
package import ScanModel

/// What may be changed of a fleet that works.
///
/// What is exchanged is exchanged in steps, in each of which both hold, so that servers and stations take it one after the other:
/// ```
///   certificates   another authority is believed ──▶ servers have its certificates ──▶ the former is believed no more
///   credential     servers take both keys of a station ──▶ the former no more          (so an administrator's)
///   event          both books may be written, each by its own key ──▶ the former no more
///   revoke         no server takes the station any more: at once
///   add            one more, which everybody believes before it writes
/// ```
/// By what a station signs it does not change while an event lasts: what it has written would be believed no more. Whoever has that key and none
/// for the servers writes nothing. Nor does the fleet's key, for two books would each admit one ticket.
package enum FleetRotation: Sendable, Equatable {
  case certificates
  case credential(StationID)
  case administrator
  case event(String)
  case revoke(StationID)
  case add(StationID)
  /// Goes on with what was begun.
  case next
}

extension FleetChange {
  /// Plans a change.
  /// - Parameters:
  ///   - layout: the fleet as its folder has it.
  ///   - secrets: those of that folder.
  ///   - now: when; certificates hold from a day before on.
  package static func rotating(
    _ rotation: FleetRotation, _ layout: FleetLayout, _ secrets: FleetSecrets, at now: WallTime
  ) throws(FleetFault) -> FleetChange {
    switch rotation {
    case .revoke(let station): return try revoking(station, layout, at: now)
    case .next:
      guard let begun = layout.rotation else {
        throw FleetFault(
          .asked, "Nothing was begun that could go on. What there is to rotate: scangate fleet rotate --help")
      }
      return try next(begun, layout, secrets, at: now)
    default: break
    }
    if let begun = layout.rotation {
      throw FleetFault(
        .asked, "\(begun.words) is under way: what is old is taken away first, by scangate fleet rotate next FOLDER")
    }
    return switch rotation {
    case .certificates: try beginningAuthority(layout, secrets, at: now)
    case .credential(let station): try beginningCredential(station, layout, secrets)
    case .administrator: try beginningAdministrator(layout, secrets)
    case .event(let name): try beginningEvent(name, layout, secrets)
    case .add(let station): try adding(station, layout, secrets)
    case .revoke, .next: FleetChange(layout: layout, files: [], removed: [], steps: [])
    }
  }

  // MARK: What begins

  private static func beginningAuthority(
    _ layout: FleetLayout, _ secrets: FleetSecrets, at now: WallTime
  ) throws(FleetFault) -> FleetChange {
    var (layout, secrets) = (layout, secrets)
    let number = (layout.believed.max() ?? 0) + 1
    let authority = try FleetSecrets.authority(of: layout.name, number, at: now)
    secrets.authorities[number] = authority
    layout.believed.append(number)
    layout.rotation = .authority
    let own = [
      FleetFile(FleetPath.authority(number), authority.certificate, FleetFile.open),
      FleetFile(FleetPath.authorityKey(number), authority.privateKey, FleetFile.secret),
    ]
    return FleetChange(
      layout: layout, files: own + authorities(layout, secrets), removed: [],
      steps: [FleetSteps.install(layout), FleetSteps.authority, FleetSteps.next])
  }

  private static func beginningCredential(
    _ name: StationID, _ layout: FleetLayout, _ secrets: FleetSecrets
  ) throws(FleetFault) -> FleetChange {
    var (layout, secrets) = (layout, secrets)
    let place = try place(of: name, layout)
    let station = layout.stations[place]
    guard let old = secrets.stations[name] else { throw lacking(name) }
    let credential = try FleetSecrets.made(old.withAnotherUser())
    secrets.stations[name] = credential
    layout.stations[place].keys = station.keys.suffix(1) + [credential.user.user]
    layout.rotation = .credential(name)
    return FleetChange(
      layout: layout, files: servers(layout) + [secrets.credentialFile(station)].compactMap { $0 }, removed: [],
      steps: [FleetSteps.install(layout), FleetSteps.credential(name), FleetSteps.next])
  }

  private static func beginningAdministrator(
    _ layout: FleetLayout, _ secrets: FleetSecrets
  ) throws(FleetFault) -> FleetChange {
    var (layout, secrets) = (layout, secrets)
    secrets.administrator = try FleetSecrets.key()
    layout.administrators = layout.administrators.suffix(1) + [secrets.administrator.user]
    layout.rotation = .administrator
    return FleetChange(
      layout: layout, files: servers(layout) + sections(layout) + [secrets.administratorFile], removed: [],
      steps: [FleetSteps.install(layout), FleetSteps.administrator, FleetSteps.next])
  }

  private static func beginningEvent(
    _ name: String, _ layout: FleetLayout, _ secrets: FleetSecrets
  ) throws(FleetFault) -> FleetChange {
    var (layout, secrets) = (layout, secrets)
    guard name != layout.event else {
      throw FleetFault(
        .asked, "The event is called \(name) already: its book is not begun anew, for every used ticket would be new.")
    }
    layout.formerEvent = layout.event
    layout.event = name
    layout.wasOpened = false
    layout.rotation = .event
    try layout.check()
    secrets.key = FleetKeyText.make()
    let key = try secrets.keyBytes()
    for (name, credential) in secrets.stations {
      secrets.stations[name] = try FleetSecrets.made(credential.with(fleet: key))
    }
    return FleetChange(
      layout: layout,
      files: servers(layout) + [secrets.keyFile] + layout.stations.compactMap(secrets.credentialFile)
        + sections(layout),
      removed: [], steps: [FleetSteps.install(layout)] + FleetSteps.event(layout) + [FleetSteps.next])
  }

  // MARK: What goes on

  private static func next(
    _ begun: FleetLayout.Rotation, _ layout: FleetLayout, _ secrets: FleetSecrets, at now: WallTime
  ) throws(FleetFault) -> FleetChange {
    var layout = layout
    layout.rotation = nil
    switch begun {
    case .authority:
      layout.authority = layout.believed.max() ?? layout.authority
      layout.rotation = .certificates
      return FleetChange(
        layout: layout, files: try certificates(layout, secrets, at: now), removed: [],
        steps: [FleetSteps.install(layout), FleetSteps.next])
    case .certificates:
      let former = layout.believed.filter { $0 != layout.authority }
      layout.believed = [layout.authority]
      return FleetChange(
        layout: layout, files: authorities(layout, secrets),
        removed: former.flatMap { [FleetPath.authority($0), FleetPath.authorityKey($0)] },
        steps: [FleetSteps.install(layout), FleetSteps.authority])
    case .credential(let name):
      let place = try place(of: name, layout)
      layout.stations[place].keys = layout.stations[place].keys.suffix(1)
    case .administrator:
      layout.administrators = layout.administrators.suffix(1)
      return FleetChange(
        layout: layout, files: servers(layout) + sections(layout), removed: [],
        steps: [FleetSteps.install(layout), FleetSteps.administratorAlone])
    case .event: layout.formerEvent = nil
    }
    return FleetChange(layout: layout, files: servers(layout), removed: [], steps: [FleetSteps.install(layout)])
  }

  // MARK: What is done at once

  private static func revoking(
    _ name: StationID, _ layout: FleetLayout, at now: WallTime
  ) throws(FleetFault) -> FleetChange {
    var layout = layout
    let place = try place(of: name, layout)
    layout.stations[place].keys = []
    layout.stations[place].revokedAt = layout.stations[place].revokedAt ?? now.seconds
    if layout.rotation == .credential(name) { layout.rotation = nil }
    return FleetChange(
      layout: layout, files: servers(layout),
      removed: [FleetPath.station(layout.stations[place], FleetPath.credential)],
      steps: FleetSteps.revoked(name, layout))
  }

  private static func adding(
    _ name: StationID, _ layout: FleetLayout, _ secrets: FleetSecrets
  ) throws(FleetFault) -> FleetChange {
    var (layout, secrets) = (layout, secrets)
    guard !layout.stations.contains(where: { $0.name == name }) else {
      throw FleetFault(
        .asked, "The fleet has a station \(name), or had one, whose claims still count: give another name.")
    }
    let (station, credential) = try station(name, secrets.keyBytes())
    layout.stations.append(station)
    try layout.check()
    secrets.stations[name] = credential
    let own = [
      secrets.credentialFile(station),
      FleetFile(
        FleetPath.station(station, FleetPath.stationAuthority), secrets.believed(layout), FleetFile.open),
    ].compactMap { $0 }
    return FleetChange(
      layout: layout, files: own + sections(layout) + servers(layout), removed: [],
      steps: FleetSteps.added(name, layout))
  }

  private static func place(of name: StationID, _ layout: FleetLayout) throws(FleetFault) -> Int {
    guard let place = layout.stations.firstIndex(where: { $0.name == name }) else {
      throw FleetFault(.asked, "The fleet \(layout.name) has no station \(name).")
    }
    guard !layout.stations[place].isRevoked else {
      throw FleetFault(.asked, "The station \(name) was revoked: no server takes it. Add another one in its place.")
    }
    return place
  }

  private static func lacking(_ name: StationID) -> FleetFault {
    FleetFault(
      .data,
      "The folder has no credential of the station \(name), and by what that signs cannot be given to it anew. Revoke it, and add another one."
    )
  }
}

extension FleetLayout.Rotation {
  /// What it is called in a sentence's beginning.
  package var words: String {
    switch self {
    case .authority, .certificates: "The exchange of the servers' certificates"
    case .credential(let station): "The exchange of the credential of \(station)"
    case .administrator: "The exchange of the administrator's key"
    case .event: "The change to another event"
    }
  }
}
