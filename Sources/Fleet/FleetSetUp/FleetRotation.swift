internal import CodeSigning
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
  ///   - plan: the fleet as its folder has it.
  ///   - secrets: those of that folder.
  ///   - now: when; certificates hold from a day before on.
  package static func rotating(
    _ rotation: FleetRotation, _ plan: FleetPlan, _ secrets: FleetSecrets, at now: WallTime
  ) throws(FleetFault) -> FleetChange {
    switch rotation {
    case .revoke(let station): return try revoking(station, plan)
    case .next:
      guard let begun = plan.rotation else {
        throw FleetFault(
          .asked, "Nothing was begun that could go on. What there is to rotate: scangate fleet rotate --help")
      }
      return try next(begun, plan, secrets, at: now)
    default: break
    }
    if let begun = plan.rotation {
      throw FleetFault(
        .asked, "\(begun.words) is under way: what is old is taken away first, by scangate fleet rotate next FOLDER")
    }
    return switch rotation {
    case .certificates: try beginningAuthority(plan, secrets, at: now)
    case .credential(let station): try beginningCredential(station, plan, secrets)
    case .administrator: try beginningAdministrator(plan, secrets)
    case .event(let name): try beginningEvent(name, plan, secrets)
    case .add(let station): try adding(station, plan, secrets)
    case .revoke, .next: FleetChange(plan: plan, files: [], removed: [], steps: [])
    }
  }

  // MARK: What begins

  private static func beginningAuthority(
    _ plan: FleetPlan, _ secrets: FleetSecrets, at now: WallTime
  ) throws(FleetFault) -> FleetChange {
    var (plan, secrets) = (plan, secrets)
    let number = (plan.believed.max() ?? 0) + 1
    let authority = try FleetSecrets.authority(of: plan.name, number, at: now)
    secrets.authorities[number] = authority
    plan.believed.append(number)
    plan.rotation = .authority
    let own = [
      FleetFile(FleetPath.authority(number), authority.certificate, FleetFile.open),
      FleetFile(FleetPath.authorityKey(number), authority.privateKey, FleetFile.secret),
    ]
    return FleetChange(
      plan: plan, files: own + authorities(plan, secrets), removed: [],
      steps: [FleetSteps.install(plan), FleetSteps.authority, FleetSteps.next])
  }

  private static func beginningCredential(
    _ name: StationID, _ plan: FleetPlan, _ secrets: FleetSecrets
  ) throws(FleetFault) -> FleetChange {
    var (plan, secrets) = (plan, secrets)
    let place = try place(of: name, plan)
    let station = plan.stations[place]
    guard let old = secrets.stations[name] else { throw lacking(name) }
    let credential = old.with(connection: try FleetSecrets.key())
    secrets.stations[name] = credential
    plan.stations[place].keys = station.keys.suffix(1) + [credential.connection.user]
    plan.rotation = .credential(name)
    return FleetChange(
      plan: plan, files: servers(plan) + [secrets.credentialFile(station)].compactMap { $0 }, removed: [],
      steps: [FleetSteps.install(plan), FleetSteps.credential(name), FleetSteps.next])
  }

  private static func beginningAdministrator(
    _ plan: FleetPlan, _ secrets: FleetSecrets
  ) throws(FleetFault) -> FleetChange {
    var (plan, secrets) = (plan, secrets)
    secrets.administrator = try FleetSecrets.key()
    plan.administrators = plan.administrators.suffix(1) + [secrets.administrator.user]
    plan.rotation = .administrator
    return FleetChange(
      plan: plan, files: servers(plan) + [secrets.administratorFile], removed: [],
      steps: [FleetSteps.install(plan), FleetSteps.next])
  }

  private static func beginningEvent(
    _ name: String, _ plan: FleetPlan, _ secrets: FleetSecrets
  ) throws(FleetFault) -> FleetChange {
    var (plan, secrets) = (plan, secrets)
    guard name != plan.event else {
      throw FleetFault(
        .asked, "The event is called \(name) already: its book is not begun anew, for every used ticket would be new.")
    }
    plan.formerEvent = plan.event
    plan.event = name
    plan.rotation = .event
    try plan.check()
    let key = FleetKeyText.made()
    secrets.key = key
    secrets.stations = secrets.stations.mapValues { $0.with(event: name, key: key) }
    return FleetChange(
      plan: plan, files: servers(plan) + [secrets.keyFile] + plan.stations.compactMap(secrets.credentialFile),
      removed: [], steps: [FleetSteps.install(plan)] + FleetSteps.event(plan) + [FleetSteps.next])
  }

  // MARK: What goes on

  private static func next(
    _ begun: FleetPlan.Rotation, _ plan: FleetPlan, _ secrets: FleetSecrets, at now: WallTime
  ) throws(FleetFault) -> FleetChange {
    var plan = plan
    plan.rotation = nil
    switch begun {
    case .authority:
      plan.authority = plan.believed.max() ?? plan.authority
      plan.rotation = .certificates
      return FleetChange(
        plan: plan, files: try certificates(plan, secrets, at: now), removed: [],
        steps: [FleetSteps.install(plan), FleetSteps.next])
    case .certificates:
      let former = plan.believed.filter { $0 != plan.authority }
      plan.believed = [plan.authority]
      return FleetChange(
        plan: plan, files: authorities(plan, secrets),
        removed: former.flatMap { [FleetPath.authority($0), FleetPath.authorityKey($0)] },
        steps: [FleetSteps.install(plan), FleetSteps.authority])
    case .credential(let name):
      let place = try place(of: name, plan)
      plan.stations[place].keys = plan.stations[place].keys.suffix(1)
    case .administrator: plan.administrators = plan.administrators.suffix(1)
    case .event: plan.formerEvent = nil
    }
    return FleetChange(plan: plan, files: servers(plan), removed: [], steps: [FleetSteps.install(plan)])
  }

  // MARK: What is done at once

  private static func revoking(_ name: StationID, _ plan: FleetPlan) throws(FleetFault) -> FleetChange {
    var plan = plan
    let place = try place(of: name, plan)
    plan.stations[place].keys = []
    if plan.rotation == .credential(name) { plan.rotation = nil }
    return FleetChange(
      plan: plan, files: servers(plan),
      removed: [FleetPath.station(plan.stations[place], FleetPath.credential)], steps: FleetSteps.revoked(name, plan))
  }

  private static func adding(
    _ name: StationID, _ plan: FleetPlan, _ secrets: FleetSecrets
  ) throws(FleetFault) -> FleetChange {
    var (plan, secrets) = (plan, secrets)
    guard !plan.stations.contains(where: { $0.name == name }) else {
      throw FleetFault(
        .asked, "The fleet has a station \(name), or had one, whose claims still count: give another name.")
    }
    let credential = FleetCredential(
      fleet: plan.name, event: plan.event, station: name, connection: try FleetSecrets.key(),
      signing: Ed25519.PrivateKey(), key: secrets.key)
    let half = credential.signing.publicKey.flatMap { VerifyingKey(bytes: $0.rawRepresentation) }
    let station = FleetPlan.Station(
      name: name, signs: try FleetSecrets.made(half), keys: [credential.connection.user])
    plan.stations.append(station)
    try plan.check()
    secrets.stations[name] = credential
    let own = [
      secrets.credentialFile(station),
      FleetFile(
        FleetPath.station(station, FleetServerFiles.authority), secrets.believed(plan), FleetFile.open),
    ].compactMap { $0 }
    return FleetChange(
      plan: plan, files: own + lists(plan) + servers(plan), removed: [], steps: FleetSteps.added(name, plan))
  }

  private static func place(of name: StationID, _ plan: FleetPlan) throws(FleetFault) -> Int {
    guard let place = plan.stations.firstIndex(where: { $0.name == name }) else {
      throw FleetFault(.asked, "The fleet \(plan.name) has no station \(name).")
    }
    guard !plan.stations[place].isRevoked else {
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

extension FleetPlan.Rotation {
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
