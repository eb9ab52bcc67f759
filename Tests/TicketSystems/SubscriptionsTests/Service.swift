import Calls
import CodeSigning
import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScanTesting
import ScriptedHTTP
import Synchronization
import Testing
import TicketTransport

@testable import Subscriptions

/// The subscription that most tests are about: the public example of the API's document.
let exampleID = "1000000619244062"

/// The venue's pass key: the first test vector of RFC 8032, 7.1.
let passKey: PassKey = {
  guard let key = try? PassKey(file: [UInt8]("scangate-pass-key-1 nWGxne/9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A=\n".utf8))
  else { preconditionFailure("a key of 32 bytes is one") }
  return key
}()

/// What the service writes.
enum Wire {
  /// A `Date` header's value.
  static func date(_ time: WallTime) -> String {
    let format = DateFormatter()
    format.locale = Locale(identifier: "en_US_POSIX")
    format.timeZone = TimeZone(secondsFromGMT: 0)
    format.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
    return format.string(from: Date(timeIntervalSince1970: Double(time.seconds)))
  }

  /// An answer with its head.
  static func response(
    _ status: String, _ body: String, type: String? = "application/json", date: WallTime? = SystemTime().wall(),
    extra: String = ""
  ) -> String {
    "HTTP/1.1 \(status)\r\n" + (type.map { "Content-Type: \($0)\r\n" } ?? "")
      + (date.map { "Date: \(Self.date($0))\r\n" } ?? "") + extra + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  /// A subscription as the API's document shows it.
  static func subscription(
    _ id: String = exampleID, ends: WallTime, tier: String = "premium", environment: String = "Production",
    renews: Bool = false, changing: (inout [String: String]) -> Void = { _ in }
  ) -> String {
    var members = [
      "environment": "\"\(environment)\"", "originalTransactionId": "\"\(id)\"", "lastTransactionId": "\"\(id)\"",
      "productId": "\"com.ft.ftchinese.mobile.subscription.member.monthly\"",
      "purchaseDateUtc": "\"2020-01-25T00:19:53Z\"", "expiresDateUtc": "\"\(ends.iso8601Seconds)\"",
      "tier": "\"\(tier)\"", "cycle": "\"month\"", "autoRenewal": "\(renews)", "createdUtc": "\"2020-09-15T04:04:16Z\"",
      "updatedUtc": "\"2020-09-18T01:20:06Z\"",
    ]
    changing(&members)
    return "{\n" + members.sorted { $0.key < $1.key }.map { "\t\"\($0.key)\": \($0.value)" }.joined(separator: ",\n")
      + "\n}"
  }
}

/// A service that gives one answer after the other, and what became of what it was asked.
struct Service {
  /// What it does with a request.
  enum Reply: Sendable {
    /// Answers so.
    case answer(String)
    /// Answers when `release` is called.
    case held(String)
    /// Ends the connection.
    case cut
    /// Nothing, ever.
    case silence
  }

  let server: ScriptedServer
  let door: Door
  let held: Held

  var client: SubscriptionsClient { door.client }
  var board: Door.Board { door.board }
  var system: SubscriptionsTicketSystem { door.system }

  final class Held: Sendable {
    let waiting = Mutex<[@Sendable () -> Void]>([])
    let seen = AsyncStream<Int>.makeStream()
  }

  /// Opens one that gives these answers; the last one stays.
  static func open(
    _ replies: Reply..., gate: SubscriptionsSection.Gate = .init(), environment: SubscriptionEnvironment = .production,
    grace: Duration = .zero, recheck: Duration = .zero, codes: PassCodes = .both, budget: RateBudget? = nil,
    isTrusted: Bool = true, time: any TimeSource = SystemTime()
  ) async throws -> Service {
    let held = Held()
    let server = ScriptedServer { number, _, connection in
      held.seen.continuation.yield(number)
      switch replies[min(number, replies.count) - 1] {
      case .answer(let text): connection.send(text)
      case .held(let text): held.waiting.withLock { $0.append { connection.send(text) } }
      case .cut: connection.close()
      case .silence: break
      }
    }
    return try await open(
      asking: server, held: held, gate: gate, environment: environment, grace: grace, recheck: recheck, codes: codes,
      budget: budget, isTrusted: isTrusted, time: time)
  }

  /// Opens one that answers as a test says.
  static func open(
    asking server: ScriptedServer, held: Held = Held(), gate: SubscriptionsSection.Gate = .init(),
    environment: SubscriptionEnvironment = .production, grace: Duration = .zero, recheck: Duration = .zero,
    codes: PassCodes = .both, budget: RateBudget? = nil, isTrusted: Bool = true, time: any TimeSource = SystemTime()
  ) async throws -> Service {
    let door = try Door(
      asking: "http://localhost:\(try await server.start())/api/v1", gate: gate, environment: environment, grace: grace,
      recheck: recheck, codes: codes, budget: budget, isTrusted: isTrusted, time: time)
    return Service(server: server, door: door, held: held)
  }

  func close() async {
    await door.close()
    await server.stop()
  }

  /// One presentation; see `Door.attempt`.
  func attempt(
    _ code: String = exampleID, within limit: Duration = .seconds(60), owedFor: Duration? = nil,
    late: @escaping @Sendable (AttemptOutcome) -> Void = { _ in }
  ) async -> AttemptOutcome {
    await door.attempt(code, within: limit, owedFor: owedFor, late: late)
  }

  /// Lets what is held be answered.
  func release() {
    for answer in held.waiting.withLock({ waiting in
      defer { waiting = [] }
      return waiting
    }) { answer() }
  }

  /// Returns once so many requests have come.
  func seen(_ count: Int) async {
    if server.requests.count >= count { return }
    for await number in held.seen.stream where number >= count { return }
  }

  /// What was asked, in order: `GET /api/v1/apple/subs/1000000619244062`.
  var asked: [String] {
    server.requests.map { $0.split(separator: " ").prefix(2).joined(separator: " ") }
  }
}

/// The files of the passes of these tests.
func passFiles(revoked: String? = nil) throws -> PassFiles {
  let folder = temporaryRoot + "/passes-\(UUID())"
  try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  let key = try #require(passKey.publicKey)
  try "key venue \(key.text)\n".write(toFile: folder + "/keys", atomically: true, encoding: .utf8)
  if let revoked { try revoked.write(toFile: folder + "/revoked", atomically: true, encoding: .utf8) }
  return try PassFiles(
    keys: folder + "/keys", revoked: revoked.map { _ in folder + "/revoked" }, of: TicketSystemID("members"))
}

/// An answer's name: `valid`, `refused expired`, `undecided badAnswer`.
func name(_ answer: TicketAnswer) -> String {
  switch answer {
  case .redeemed: "redeemed"
  case .valid: "valid"
  case .refused(let reason, _): "refused \(reason)"
  case .undecided(let reason, _): "undecided \(reason)"
  }
}

/// The machine's clocks, which a test moves ahead.
final class MovableTime: TimeSource {
  private let ahead = Mutex(Duration.zero)

  func advance(by duration: Duration) { ahead.withLock { $0 += duration } }
  func now() -> MonotonicTime { SystemTime().now() + ahead.withLock { $0 } }
  func wall() -> WallTime { SystemTime().wall() + ahead.withLock { $0 } }
}
