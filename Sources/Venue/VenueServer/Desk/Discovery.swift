import FoundationEssentials
import HTTPTypes
import Hummingbird

/// How a server is found, and what it looks like: told to anybody, without a key. The original tells neither.
struct Discovery: Sendable {
  let shape: ServerShape
  let address: PublicAddress

  func add(to router: Router<VisitorContext>) {
    let places: [(RouterPath, @Sendable (String) -> JSONText)] =
      switch shape {
      case .document:
        [
          ("/.well-known/eventschedule.json", Self.document), ("/api/meta/branding", Self.documentBranding),
        ]
      case .planify: [("/.well-known/planify.json", Self.planify), ("/branding.json", Self.planifyBranding)]
      case .upstream: []
      }
    for (path, text) in places { router.get(path) { request, _ in Answer.ok(text(address.url(for: request))) } }
    guard shape != .upstream else { return }
    router.get("/logo.png") { _, _ in
      Response(
        status: .ok, headers: [.contentType: "image/png"], body: .init(byteBuffer: ByteBuffer(bytes: Self.logo)))
    }
  }

  private static func document(_ venue: String) -> JSONText {
    [
      "api_base_url": .string(venue + "/api"),
      "auth": ["type": "sanctum", "endpoints": ["login": "/api/login", "logout": "/api/logout"]],
      "branding_endpoint": "/api/meta/branding",
      "features": ["events": true, "venues": true, "talent": true, "tickets": true, "scanning": true],
      "versions": ["api": "1.0", "backend": "2.0"], "min_app_version": "1.0.0",
      "rate_limits": ["events": 100, "checkins": 1000],
    ]
  }

  private static func documentBranding(_ venue: String) -> JSONText {
    [
      "logo_url": .string(venue + "/logo.png"), "wordmark_url": nil, "primary_hex": "#007AFF",
      "secondary_hex": "#8E8E93", "accent_hex": "#34C759", "text_hex": "#000000", "bg_hex": "#FFFFFF",
      "button_radius": 10, "legal_footer": "© 2025 The venue",
    ]
  }

  private static func planify(_ venue: String) -> JSONText {
    [
      "apiBaseURL": .string(venue + "/api"), "brandingEndpoint": .string(venue + "/branding.json"),
      "features": ["branding"],
    ]
  }

  private static func planifyBranding(_ venue: String) -> JSONText {
    [
      "logoUrl": .string(venue + "/logo.png"), "logoAlt": "Planify",
      "colors": [
        "primary": "#1F2937", "secondary": "#111827", "tertiary": "#374151", "onPrimary": "#FFFFFF",
        "onSecondary": "#FFFFFF", "onTertiary": "#FFFFFF",
      ], "defaultLanguage": "en",
    ]
  }

  /// A picture of eight by eight, all of one colour.
  private static let logo: [UInt8] = [UInt8](
    Data(
      base64Encoded:
        "iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mOQ1zTHihiGlgQAYnwfwee0usgAAAAASUVORK5CYII="
    ) ?? Data())
}
