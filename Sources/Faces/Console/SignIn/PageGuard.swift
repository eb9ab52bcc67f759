import HTTPTypes
import Hummingbird
import LibCrypto
import ScanModel

/// Surrounds the pages: finds out who asks, takes a form only from a page of ours that was made for whoever sends it, and adds what
/// browsers heed. `router.group().add(middleware: PageGuard(setting))`, and the pages in that group.
struct PageGuard: RouterMiddleware {
  typealias Context = ConsoleContext

  /// The name of the hidden field that each form has.
  static let field = "form"
  /// Nobody outside this process can make what is made with it; another start has another one.
  private static let key = HMACSHA256(key: SymmetricKey(size: .bits256))

  private let setting: ConsoleSetting

  init(_ setting: ConsoleSetting) { self.setting = setting }

  /// The value of the hidden field `form` of each form of a page that is made for this caller.
  static func formToken(for caller: PageCaller) -> String { token(for: subject(of: caller)) }

  private static func subject(of caller: PageCaller) -> String {
    switch caller.sign {
    case .loopback: "loopback"
    case .device(let id): "device \(id)"
    case .session(let id): "session \(id)"
    }
  }

  private static func token(for subject: String) -> String {
    key.authenticationCode(for: [UInt8]("form \(subject)".utf8)).map { String($0, digits: 2, radix: 16) }.joined()
  }

  func handle(
    _ request: Request, context: ConsoleContext, next: (Request, ConsoleContext) async throws -> Response
  ) async throws -> Response {
    try await next(request, context)
  }
}
