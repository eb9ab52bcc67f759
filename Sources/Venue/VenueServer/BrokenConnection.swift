import Glibc
import Hummingbird
import HummingbirdCore
import NIOCore

/// A connection that is to end instead of being answered.
struct BrokenConnection: Error {
  let end: Misbehaviour.ConnectionEnd
  /// The answer of which head and half of the body go out before.
  var midway: Response?

  func dated(_ date: String) -> BrokenConnection {
    var copy = self
    copy.midway?.headers[.date] = date
    return copy
  }

  /// Ends the connection; always throws, so that nothing more is read from it.
  func carryOut(_ writer: consuming ResponseWriter, _ channel: any Channel) async throws {
    if let midway {
      let text = try await WrongAnswer.bytes(of: midway.body)
      var body = try await writer.writeHead(midway.head)
      try await body.write(ByteBuffer(text.readableBytesView.prefix(text.readableBytes / 2)))
    }
    if end == .reset, let options = channel as? any SocketOptionProvider {
      // A socket that lingers for no time forgets what it has and resets.
      try? await options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).get()
    }
    try? await channel.close()
    throw self
  }
}
