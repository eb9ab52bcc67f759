internal import ScanConfiguration
internal import ScanModel

/// An alert as it is posted: plain text that a person reads, and what ntfy takes from headers.
package struct AlertMessage: Sendable, Equatable {
  /// How loud it is, by ntfy's names.
  package enum Priority: String, Sendable, CaseIterable {
    case urgent
    case high
    case `default`
  }

  /// What it is about.
  package var key: AlertKey
  /// One line of printable ASCII.
  package var title: String
  /// Plain text.
  package var body: String
  /// How loud it is.
  package var priority: Priority
  /// Words for programs, separated by commas; the first is shown as a picture by ntfy.
  package var tags: String

  package init(key: AlertKey, title: String, body: String, priority: Priority, tags: String) {
    self.key = key
    self.title = title
    self.body = body
    self.priority = priority
    self.tags = tags
  }

  /// The message of some news.
  /// - Parameter station: the station's name.
  package init(_ news: AlertBook.News, station: String) {
    key = news.key
    let name = Self.ascii(station)
    let spoken = Self.ascii(news.key.spoken)
    title = "\(name): \(news.isResolved ? "resolved: " : "")\(spoken)"
    let since = news.since.iso8601Seconds
    let age = max(news.at - news.since, .zero).asAge
    var lines =
      news.isResolved
      ? ["It is over after \(age): \(news.words.what)"]
      : [news.words.what, "Look with: \(news.words.command)"]
    lines.append("Station \(name), since \(since).")
    if news.isRecurring {
      lines.append("It came back within an hour: each time, that it is over is told later.")
    }
    body = lines.map(Self.ascii).joined(separator: "\n") + "\n"
    priority = news.isResolved ? .default : news.key.condition.priority
    tags = [news.isResolved ? "white_check_mark" : news.key.condition.picture, news.key.condition.rawValue, name]
      .joined(separator: ",")
  }

  /// Names are ASCII by the configuration's rules; whoever has another service at the socket changes no header by them.
  private static func ascii(_ text: String) -> String {
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars.prefix(400) {
      shown.append((0x20...0x7E).contains(scalar.value) ? scalar : "?")
    }
    return String(shown)
  }
}

extension AlertCondition {
  fileprivate var priority: AlertMessage.Priority {
    switch self {
    case .service, .gate, .key: .urgent
    case .reader, .ticketSystem, .disk, .conflict: .high
    case .outbox, .clock, .certificate: .default
    }
  }

  fileprivate var picture: String { priority == .urgent ? "rotating_light" : "warning" }
}
