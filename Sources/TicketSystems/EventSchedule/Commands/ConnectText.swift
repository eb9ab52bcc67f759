internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// What the commands about connected servers print.
enum ConnectText {
  /// What a server told of itself, a line a fact.
  static func lines(_ found: InstanceClient.Found, _ server: ServerAddress, api: ServerAddress) -> [String] {
    guard let discovery = found.discovery else {
      let asked = found.answers.map { "\($0.path): \($0.status.map { "\($0)" } ?? "no document")" }
      return [
        "\(server.hostAndPort) tells nothing of itself (\(asked.joined(separator: ", "))).",
        line("API", "\(api)/api, as usual"),
      ]
    }
    let path = found.answers.first?.path ?? ""
    var lines = ["\(discovery.name ?? server.hostAndPort), by \(server.hostAndPort)\(path)"]
    lines.append(line("API", "\(api)/api"))
    lines.append(
      line("features", discovery.features.isEmpty ? "none told" : discovery.features.joined(separator: ", ")))
    if !discovery.versions.isEmpty { lines.append(line("versions", words(discovery.versions))) }
    if !discovery.limits.isEmpty {
      lines.append(line("limits", words(discovery.limits) + " (told, not applied: see rate in the configuration)"))
    }
    if let oldest = discovery.oldestApp { lines.append(line("phone app", "\(oldest) or later")) }
    if let signIn = discovery.signIn {
      let endpoints = discovery.signInEndpoints.isEmpty ? "" : ": " + words(discovery.signInEndpoints)
      lines.append(line("sign-in", "\(signIn)\(endpoints) (told, not used: a key is)"))
    }
    return lines
  }

  private static func words(_ facts: [Discovery.Fact]) -> String {
    facts.map { "\($0.name) \($0.value)" }.joined(separator: ", ")
  }

  static func line(_ name: String, _ value: String) -> String {
    "  " + name + String(repeating: " ", count: max(1, 11 - name.utf8.count)) + value
  }

  /// The most events that are listed.
  private static let mostEvents = 50

  /// The events that a key shows, a line each.
  static func lines(_ page: EventPage) -> [String] {
    guard !page.events.isEmpty else { return ["The key is good; its user has no event yet."] }
    let shown = page.events.prefix(mostEvents)
    let more = max(Int64(page.events.count), page.total ?? 0) - Int64(shown.count)
    let width = shown.map(\.id.unicodeScalars.count).max() ?? 0
    return ["The key is good. Its user's events (it may scan others, too), times as the server tells them:"]
      + shown.map { event in
        let gap = String(repeating: " ", count: width - event.id.unicodeScalars.count)
        return "  \(event.id)\(gap)  \(event.starts ?? "no date")  \(event.name ?? "")"
          + (event.venue.map { ", \($0)" } ?? "")
      } + (more > 0 ? ["  and \(more) more"] : [])
  }

  /// How a server wants to look, a line a fact.
  static func lines(_ branding: Branding) -> [String] {
    let pairs = [
      ("page", branding.page), ("primary", branding.primary), ("secondary", branding.secondary),
      ("accent", branding.accent),
    ]
    var lines = pairs.map { line($0.0, "\($0.1.ground), text \($0.1.text)") }
    lines.append(line("buttons", "corners of \(branding.buttonRadius)"))
    if let footer = branding.legalFooter { lines.append(line("footer", footer)) }
    for (name, address) in [("logo", branding.logo), ("wordmark", branding.wordmark)] {
      switch address {
      case .absent: break
      case .told(let text): lines.append(line(name, text))
      case .unusable: lines.append(line(name, "at an address that is none"))
      }
    }
    return lines
  }

  /// A connected server as JSON.
  static func json(_ instance: ConnectedInstance, hasKey: Bool) -> String {
    var text = JSONText()
    text.add("name", instance.name)
    text.add("url", instance.url.description)
    text.add("api", instance.api.description)
    text.add("credential", instance.credential)
    text.add("has_key", hasKey)
    text.add("discovered_at", instance.discovery.at.iso8601Seconds)
    text.add("discovery", object: instance.discovery.value?.json)
    text.add("branded_at", instance.branding?.at.iso8601Seconds)
    text.add("branding", object: instance.branding?.value.json)
    return text.text
  }
}
