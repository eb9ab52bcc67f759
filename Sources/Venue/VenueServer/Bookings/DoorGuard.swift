import FoundationEssentials
import Hummingbird
import Synchronization

/// What stands before the real server's door, in this order: no telephones, an address it knows, and a ration that list and check
/// share. All are 403.
final class DoorGuard: Sendable {
  /// Calls that an address has in a window, whatever is answered.
  static let ration = 5
  /// A window's length in seconds; it begins with its first call.
  static let window = 900.0

  private static let known = [
    "http://localhost:3000", "http://localhost:3001", "https://then-production.up.railway.app",
    "https://lastminutelive.com",
  ]
  private static let telephones = [
    "mobile", "android", "iphone", "ipad", "ipod", "windows phone", "blackberry", "react-native", "expo", "cordova",
    "phonegap", "lastminutelive-mobile-app",
  ]
  private static let platforms = ["ios", "android", "react-native", "expo"]

  private let configuration: VenueConfiguration
  private let address: PublicAddress
  private let calls = Mutex(CountWindows())

  init(configuration: VenueConfiguration, address: PublicAddress) {
    self.configuration = configuration
    self.address = address
  }

  /// Why a request is not let in; nil where it is, which counts it.
  func refusal(_ request: Request, _ context: VisitorContext) -> Answer? {
    if let words = telephone(request) { return .error(.forbidden, "Mobile access blocked: \(words)") }
    let known = Self.known + [address.url(for: request)]
    let origins = [request.header("Origin"), request.header("Referer")]
    guard origins.contains(where: { origin in origin.map { known.contains(where: $0.hasPrefix) } ?? false }) else {
      return .error(.forbidden, "Origin validation failed: Invalid origin.")
    }
    guard !configuration.noLimits else { return nil }
    let now = configuration.now().timeIntervalSince1970
    return calls.withLock { calls in
      if let window = calls.open(context.address, at: now), window.count >= Self.ration {
        var answer = Answer.error(.forbidden, "Too many auth attempts. Try again later.")
        answer.headers[.retryAfter] = String(Int(min(max(1, (window.ends - now).rounded(.up)), Self.window)))
        return answer
      }
      calls.count(context.address, at: now, for: Self.window, isRenewed: false)
      return nil
    }
  }

  private func telephone(_ request: Request) -> String? {
    if request.header("x-mobile-app") == "true" { return "Explicit mobile app header detected" }
    if let platform = request.header("x-platform")?.lowercased(), Self.platforms.contains(platform) {
      return "Mobile platform header detected"
    }
    let agent = request.header("User-Agent")?.lowercased() ?? ""
    return Self.telephones.contains(where: agent.contains) ? "Mobile user agent pattern detected" : nil
  }
}

/// How often an address may try what accounts are about, at the real server: 429 beyond. A try that succeeds forgets the others.
final class AccountLimits: Sendable {
  /// The tries in 15 minutes.
  enum Kind: String {
    case signUp, signIn, social, mail, forgotten, reset

    var most: Int {
      switch self {
      case .signUp, .reset: 5
      case .signIn: 10
      case .social: 15
      case .mail, .forgotten: 3
      }
    }

    var words: String {
      switch self {
      case .signUp: "Too many signup attempts. Please try again later."
      case .signIn: "Too many signin attempts. Please try again later."
      case .social: "Too many authentication attempts. Please try again later."
      case .mail: "Too many verification email requests. Please try again later."
      case .forgotten, .reset: "Too many password reset attempts. Please try again later."
      }
    }

    /// Whether it is forgotten by a success.
    var isForgotten: Bool { self == .signUp || self == .signIn || self == .reset }
  }

  private let configuration: VenueConfiguration
  private let tries = Mutex(CountWindows())

  init(configuration: VenueConfiguration) { self.configuration = configuration }

  /// Counts a try; why it may not be, where it may not.
  func refusal(_ kind: Kind, _ route: String, _ context: VisitorContext, _ shape: BookingShape) -> Answer? {
    guard shape == .real, !configuration.noLimits else { return nil }
    let now = configuration.now().timeIntervalSince1970
    let name = "\(route) \(context.address)"
    return tries.withLock { tries in
      tries.count(name, at: now, for: DoorGuard.window, isRenewed: false)
      guard let window = tries.open(name, at: now), window.count > kind.most else { return nil }
      return shape.failure(.tooManyRequests, kind.words)
    }
  }

  func succeeded(_ kind: Kind, _ route: String, _ context: VisitorContext) {
    if kind.isForgotten { tries.withLock { $0.forget("\(route) \(context.address)") } }
  }
}
