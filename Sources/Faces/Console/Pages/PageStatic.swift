import CodeSigning
import HTTPTypes
import Hummingbird
import LibCrypto
import NIOCore
import ScanModel

/// What pages need besides themselves: a style, a script. Their names have a hash of what is in them, so that a browser may keep them for
/// ever, and another release has other names.
struct PageStatic: Sendable {
  /// A file.
  struct File: Sendable {
    /// Such as `pages-0123456789abcdef.css`.
    let name: String
    let type: String
    let bytes: ByteBuffer
  }

  static let style = File("pages", "css", "text/css; charset=utf-8", CarriedFile.style)
  /// Keeps doors live, and pages of staff fresh.
  static let script = File("live", "js", "text/javascript; charset=utf-8", CarriedFile.live)
  static let device = File("device", "js", "text/javascript; charset=utf-8", CarriedFile.device)
  static let icon = File("icon", "svg", "image/svg+xml", CarriedFile.icon)

  /// The style as it stands within a page.
  static let styleWithin = StyleWithin(String(decoding: CarriedFile.style, as: UTF8.self))

  /// All of them.
  static let files = [style, script, device, icon]

  /// `/static/NAME`.
  static func respond(to name: String) throws(ConsoleAnswer) -> Response {
    guard let file = files.first(where: { $0.name == name }) else { throw .notFound }
    return response(file.type, file.bytes)
  }

  private static func response(_ type: String, _ bytes: ByteBuffer) -> Response {
    Response(
      status: .ok, headers: [.contentType: type, .cacheControl: "public, max-age=31536000, immutable"],
      body: .init(byteBuffer: bytes))
  }
}

extension PageStatic.File {
  fileprivate init(_ stem: String, _ ending: String, _ type: String, _ bytes: [UInt8]) {
    let hash = SHA256.hash(data: bytes).prefix(8).map { String($0, digits: 2, radix: 16) }.joined()
    self.init(name: "\(stem)-\(hash).\(ending)", type: type, bytes: ByteBuffer(bytes: bytes))
  }

  /// Where pages find it.
  var path: String { "/static/\(name)" }
}

/// A style that stands within a page, which saves a question before anything can be painted; and what the page's policy knows it by.
struct StyleWithin: Sendable {
  let text: String
  /// Such as `'sha256-…'`: this text, and no other.
  let source: String

  init(_ text: String) {
    self.text = text
    source = "'sha256-\(Base64.text(Array(SHA256.hash(data: [UInt8](text.utf8)))))'"
  }
}
