internal import FleetBook

/// Whether servers may be relied on, by what they say of themselves and of their stream. Pure.
struct Judgement {
  let settings: JetStreamSettings
  /// To whom we are connected.
  let server: JetStreamSettings.Server
  /// What that has called itself when it was started.
  let ownID: String
  /// What it has refused meanwhile, in its words.
  let refusal: String?

  /// - Returns: why not; `nil` where they may be.
  func fault(_ servers: PendingCalls.Outcome, _ stream: StreamAnswer) -> ClaimFault? {
    let messages: [NATSMessage]
    switch servers {
    case .unsent: return .noQuorum
    case .answered(let answers), .lost(let answers): messages = answers
    }
    let heard = messages.compactMap(ServerAnswer.init)
    // Of servers and stream the servers are told first: one that is too old says strange things of its streams.
    for answer in heard {
      if let fault = fault(answer) { return fault }
    }
    // One whose disk has failed has left JetStream by itself, keeps no claims and has no voice: it is as one that is away.
    if heard.count >= settings.servers.count, !heard.contains(where: \.hasStreams) {
      return .otherVersion("\(server) has no JetStream. See its configuration.")
    }
    if messages.contains(where: \.isUnheard) {
      return .otherVersion(
        "\(server) does not tell its version and whether it syncs: its configuration has to let the fleet's account ask it (\(ServerAnswer.subject))."
      )
    }
    if let refusal {
      return .refused("\(server) does not let this station do what it has to (\(refusal)).")
    }
    guard heard.contains(where: { $0.id == ownID }) else { return .noQuorum }
    switch stream {
    case .silence, .unheard: return .noQuorum
    case .error(10_059, _):
      return .otherVersion("\(server) has no bucket \(settings.bucket): it has to be made once.")
    // No leader, for the moment.
    case .error(10_008, _), .error(10_009, _): return .noQuorum
    case .error(let number, let words):
      return .otherVersion("\(server) does not say what its bucket is (\(number), \(words)).")
    case .stream(let found, let leader, _, _):
      if let fault = StreamRules(settings: settings).fault(found) { return fault }
      // One server has no leader but itself.
      guard let leader else { return settings.replicas == 1 ? nil : .noQuorum }
      return heard.contains { $0.name == leader } ? nil : .noQuorum
    }
  }

  private func fault(_ answer: ServerAnswer) -> ClaimFault? {
    let place = answer.name.isEmpty ? "\(server)" : "The server \(answer.name)"
    guard answer.version?.isRelied == true else {
      return .otherVersion(
        "\(place) is nats-server \(answer.versionText). A fleet wants 2.10.27 or a later 2: before, two stations could both have the same claim."
      )
    }
    guard !answer.hasStreams || answer.syncsAlways else {
      return .otherVersion(
        "\(place) acknowledges before it has written to its disk. Its configuration wants sync_interval: always in jetstream."
      )
    }
    return nil
  }
}
