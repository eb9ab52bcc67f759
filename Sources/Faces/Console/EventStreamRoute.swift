import HTTPTypes
import Hummingbird
import NIOCore
import ScanConfiguration
import WireText

/// `GET /api/v1/events`: what happens at the station, as server-sent events, until either side ends it.
struct EventStreamRoute: Sendable {
  /// How many gates or types one may ask for.
  private static let mostNames = 32
  /// What a stream begins with: that whoever loses it shall come back after two seconds.
  private static let opening = ByteBuffer(string: "retry: 2000\n\n")

  let mirror: StationMirror

  /// The console ends, or has been told that nobody reads: nothing more is read of this connection.
  private struct StreamEnd: Error {}

  func respond(to request: Request, context: ConsoleContext) async throws -> Response {
    try context.requires(.events)
    let filter = try Self.filter(request.uri.query)
    // Of a number that is none of ours it is not known what is missing.
    let told = HTTPField.Name("Last-Event-ID").flatMap { request.headers[$0] }.flatMap {
      $0.isEmpty ? nil : EventID($0) ?? EventID(epoch: 0, number: 0)
    }
    guard let subscription = await mirror.subscribe(after: told, filter: filter) else {
      throw ConsoleAnswer(
        .serviceUnavailable, "tooManyStreams",
        "As many streams are open as may be (\(StationMirror.mostSubscribers)). End one of them.", [.retryAfter: "5"])
    }
    context.closing.whenComplete { _ in subscription.end() }
    let body = ResponseBody { writer in
      defer { subscription.end() }
      try await writer.write(Self.opening)
      for await wake in subscription.wakes {
        var isIdle = true
        while case let buffers = subscription.take(), !buffers.isEmpty {
          isIdle = false
          try await writer.write(contentsOf: buffers)
        }
        if isIdle, wake == .heartbeat { try await writer.write(EventFrame.heartbeat) }
      }
      try await writer.finish(nil)
      throw StreamEnd()
    }
    return Response(status: .ok, headers: [.contentType: "text/event-stream", .cacheControl: "no-store"], body: body)
  }

  // MARK: Filters

  /// The filter of a query: `gate=north&gate=south&type=scan,passage`.
  static func filter(_ query: String?) throws(ConsoleAnswer) -> EventFilter {
    var filter = EventFilter()
    for part in (query ?? "").split(separator: "&") {
      let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard pair.count == 2, let value = decoded(pair[1]) else {
        throw .badRequest("The query is not understood. It takes gate=NAME and type=NAME.")
      }
      switch pair[0] {
      case "gate":
        guard (1...255).contains(value.utf8.count) else { throw .badRequest("gate= wants the name of a gate.") }
        filter.gates.insert(value)
      case "type":
        for type in value.split(separator: ",", omittingEmptySubsequences: false).map(String.init) {
          guard EventTypes.known.contains(type) else { throw .badRequest(EventTypes.words) }
          filter.types.insert(type)
        }
      default: throw .badRequest("The query takes gate=NAME and type=NAME, and nothing else.")
      }
      guard filter.gates.count <= mostNames, filter.types.count <= mostNames else {
        throw .badRequest("At most \(mostNames) gates and \(mostNames) types can be asked for.")
      }
    }
    return filter
  }

  private static func decoded(_ text: Substring) -> String? {
    // A blank is written as a plus by forms.
    let bytes = PercentCoding.decode(text.utf8.map { $0 == UInt8(ascii: "+") ? 0x20 : $0 })
    return bytes.flatMap { String(validating: $0, as: UTF8.self) }
  }
}
