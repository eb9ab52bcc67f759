internal import ScanModel
internal import Synchronization
internal import TicketSystemKit
internal import TicketTransport

/// Asks a server how it wants to look, now and then, for pages. It asks without the key, and nobody at a gate waits for it.
///
///     begin ── 20 s ──▶ ask ── told, or nothing to tell: a day ──▶ ask
///                        └──── cannot be asked: an hour ─────────▶ ask
final class BrandingWatch: Sendable {
  /// Gates come first.
  private static let first = Duration.seconds(20)
  private static let again = Duration.seconds(86_400)
  private static let retry = Duration.seconds(3_600)
  private static let patience = Duration.seconds(15)

  private let client: InstanceClient
  private let api: ServerAddress
  private let told = Mutex<SystemBranding?>(nil)
  private let time: any TimeSource

  /// - Parameter instance: who asks, and where its API is; `nil` where no server is known: then there is no watch.
  init?(_ instance: (client: InstanceClient, api: ServerAddress)?, time: any TimeSource = SystemTime()) {
    guard let instance else { return nil }
    client = instance.client
    api = instance.api
    self.time = time
  }

  /// What it told last; `nil` before that, and where it tells nothing.
  var branding: SystemBranding? { told.withLock { $0 } }

  /// Asks until the task is cancelled.
  func run() async {
    var wait = Self.first
    while (try? await Task.sleep(for: wait)) != nil { wait = await ask() ? Self.again : Self.retry }
  }

  /// - Returns: whether it could be asked.
  func ask() async -> Bool {
    do throws(TransportFault) {
      let found = try await client.discovery(deadline: time.now() + Self.patience)
      let branding = try await client.branding(
        found.discovery?.branding ?? .absent, api: api, deadline: time.now() + Self.patience)
      let name = found.discovery?.name
      told.withLock { $0 = branding.map { SystemBranding($0, name: name) } }
      return true
    } catch {
      // What was told before holds: it decides nothing.
      return false
    }
  }
}

extension SystemBranding {
  init(_ branding: Branding, name: String?) {
    func pair(_ pair: Branding.Pair) -> Pair { Pair(ground: pair.ground.number, text: pair.text.number) }
    self.init(
      name: name, logoText: branding.logoText, page: pair(branding.page), primary: pair(branding.primary),
      accent: pair(branding.accent))
  }
}

extension BrandColour {
  /// `0xRRGGBB`.
  var number: UInt32 { UInt32(red) << 16 | UInt32(green) << 8 | UInt32(blue) }
}
