import Expectations
import ScanModel
import Synchronization
import WireText

@testable import MQTTBridge

/// Somebody else at the broker: hears everything, and says what a test has it say.
final class Watcher: Sendable {
  private struct State {
    var kept: [String: String] = [:]
    var heard: [BrokerMessage] = []
    var isHere = false
    var away: [BrokerFault] = []
    var denials = 0
  }

  private let link: BrokerLink
  private let state: Listening

  /// What it has heard; apart, so that the task that listens does not hold the watcher.
  private final class Listening: Sendable {
    let state = Mutex(State())

    func take(_ news: BrokerLink.News) {
      state.withLock { state in
        switch news {
        case .here: state.isHere = true
        case .away(let fault):
          state.isHere = false
          state.away.append(fault)
        case .message(let message):
          state.heard.append(message)
          let text = String(decoding: message.payload, as: UTF8.self)
          state.kept[message.topic] = text.isEmpty ? nil : text
        case .denied: state.denials += 1
        case .lost, .room: break
        }
      }
    }
  }

  init(_ settings: BrokerSettings, to filters: [String] = ["#"]) async throws {
    link = try BrokerLink(settings, will: BrokerMessage("watcher", text: "gone"), filters: filters)
    let listening = Listening()
    state = listening
    Task { [news = link.news] in for await one in news { listening.take(one) } }
    await link.start()
  }

  var isHere: Bool { state.state.withLock { $0.isHere } }
  var away: [BrokerFault] { state.state.withLock { $0.away } }
  var denials: Int { state.state.withLock { $0.denials } }
  var heard: [BrokerMessage] { state.state.withLock { $0.heard } }

  /// What was told of a topic last; `nil` where nothing is to be kept of it.
  func last(_ topic: String) -> String? { state.state.withLock { $0.kept[topic] } }

  /// The same, as JSON.
  func json(_ topic: String) -> JSONValue? { last(topic).flatMap { try? JSONValue(Array($0.utf8)) } }

  func heard(at topic: String) -> [JSONValue] {
    heard.filter { $0.topic == topic }.compactMap { try? JSONValue($0.payload) }
  }

  /// Publishes, once the broker is there.
  func say(_ message: BrokerMessage) async { await until { await link.publish(message) } }

  func stop() async { await link.stop() }
}
