internal import NIOCore
internal import NIOHTTP1

/// A call as it is sent to a server.
struct HTTPRequest: Sendable {
  /// The request line and the headers.
  let head: HTTPRequestHead
  /// The body.
  let body: ByteBuffer?

  /// `nil` where something in the address cannot stand in a request.
  init?(_ call: HTTPCall, to server: ServerAddress) {
    let target = server.path + call.target
    guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      return nil
    }
    var headers = HTTPHeaders()
    headers.reserveCapacity(10)
    headers.add(name: "Host", value: server.hostHeader)
    headers.add(name: "Accept", value: call.accepts)
    headers.add(name: "User-Agent", value: "scangate")
    for header in call.sentHeaders { headers.add(name: header.name, value: header.value) }
    if call.skipsCaches { headers.add(name: "Cache-Control", value: "no-cache") }
    if let credential = call.credential {
      headers.add(name: credential.header, value: credential.prefix + credential.secret.value)
    }
    if call.body != nil { headers.add(name: "Content-Type", value: call.bodyType) }
    switch (call.body, call.method) {
    case (let body?, _): headers.add(name: "Content-Length", value: "\(body.count)")
    case (nil, .post), (nil, .put), (nil, .patch): headers.add(name: "Content-Length", value: "0")
    case (nil, .get), (nil, .delete): break
    }
    head = HTTPRequestHead(
      version: .http1_1, method: HTTPMethod(rawValue: call.method.rawValue), uri: target, headers: headers)
    body = call.body.map { ByteBuffer(bytes: $0) }
  }
}
