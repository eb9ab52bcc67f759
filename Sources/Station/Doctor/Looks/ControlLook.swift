internal import LinuxIO
internal import ScanConfiguration
internal import ScanModel
internal import Sealing
internal import StationSetUp
internal import TicketSystemKit

/// Asks the control service how the station stands with it.
struct ControlLook {
  let keys: SealKeySource
  let credentials: CredentialResolver
  let version: String
  let patience: Duration

  func findings(_ configuration: StationConfiguration) async -> [Finding] {
    guard let control = configuration.control else { return [] }
    let patience = patience
    async let certificate = CertificateJudge.findings(control.url, place: "control.url", within: patience)
    var found: [Finding] = []
    // Without the station's key nothing is known of an activation, and asking would make one.
    do throws(SealFault) {
      _ = try keys.open(making: false)
    } catch {
      let severity: Finding.Severity = PermissionLook.isHidden(keys.state) ? .note : .warning
      found = [
        Self.finding(
          severity, "How the station stands with it cannot be told. \(error.description)", "sudo scangate kiosk status")
      ]
      return await found + certificate
    }
    let time = SystemTime()
    let token = control.registration.flatMap { try? credentials($0.name) }.flatMap { ControlToken($0) }
    do throws(SystemError) {
      let session = try ControlSession(
        store: SealedRecordStore(keys: keys), server: ControlServer(control), version: version,
        registrationToken: token,
        time: time, connect: ControlSession.connecting(as: configuration, time: time))
      let health = await session.health(asking: time.now() + patience)
      await session.close()
      found += Self.judge(health)
    } catch {
      found.append(Self.finding(.warning, "No thread can be had to ask it (\(error.words))."))
    }
    return await found + certificate
  }

  static func judge(_ health: ControlHealth) -> [Finding] {
    if health.isHealthy { return [finding(.good, "It answers, takes the token, and its configuration is current.")] }
    // A control service opens no gate, and keeps none from opening by its silence.
    let words = health.words.isEmpty ? ["It is not as it should be."] : health.words
    return words.map { finding(.warning, $0, "sudo scangate kiosk status") }
  }

  private static func finding(_ severity: Finding.Severity, _ words: String, _ cure: String? = nil) -> Finding {
    Finding(severity, .control, "control", words, cure: cure)
  }
}
