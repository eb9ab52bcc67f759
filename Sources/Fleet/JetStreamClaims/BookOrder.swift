package import FleetBook
internal import CodeSigning
package import ScanModel
internal import WireText

/// The order for the whole fleet, which lies beside the event's book: in what its stream is called by, for that changes who administers the
/// servers, and nobody else. No station may write it, spoil it or take it away, by whatever files its servers were set up.
extension JetStreamClaimStore {
  /// What lies there; `nil` of nothing.
  package func order(until end: MonotonicTime) async throws(ClaimFault) -> [UInt8]? {
    guard let json = try await told(until: end) else { throw noBook }
    return json["config"]?["metadata"]?[StreamRules.orderName]?.string.map(OrderText.bytes)
  }

  /// Puts an order in the place of the one before. Only who administers the servers may. Comes back once the leader tells that it is there.
  package func put(order: [UInt8], until end: MonotonicTime) async throws(ClaimFault) {
    let text = OrderText.text(order)
    try await bring(
      until: end, "given the order",
      isDone: { $0?["config"]?["metadata"]?[StreamRules.orderName]?.string == text }
    ) { json throws(ClaimFault) in
      guard let json, let book = EventBook(json, link.settings), case .object(var config)? = json["config"],
        case .object(var metadata)? = config["metadata"]
      else { throw noBook }
      guard !book.isClosed else { throw StreamRules(settings: link.settings).closed }
      metadata[StreamRules.orderName] = .string(text)
      config["metadata"] = .object(metadata)
      return NATSRequest(
        subject: "$JS.API.STREAM.UPDATE.\(link.settings.stream)", data: [UInt8](JSONValue.object(config).text.utf8))
    }
  }
}

/// An order as servers have it: base 64.
enum OrderText {
  static func text(_ bytes: [UInt8]) -> String { Base64.text(bytes) }

  /// What it is of; of what is no such text, that text itself, which is no order either.
  static func bytes(_ text: String) -> [UInt8] { Array((Base64.bytes(text) ?? Array(text.utf8)).prefix(longest)) }

  /// So much is kept of what is too long for one.
  private static let longest = 1_024
}
