import Alerts
import LinuxIO
import Logging
package import ScanConfiguration
package import ScanModel
internal import ServiceLifecycle
import StationProtocol
import TicketTransport

/// The console as a service: its picture of the station, its server, and its certificate, which it renews.
package final class ConsoleService: Service {
  /// How often it is looked whether the certificate is to be made anew.
  package static let look: Duration = .seconds(6 * 3_600)
  /// How often it is looked how long the control service lets sessions be without use.
  private static let sessionLook: Duration = .seconds(15)
  /// How long before its end somebody else's certificate is told of, in seconds.
  private static let notice = StationLimits.certificateNotice.components.seconds

  private let setting: ConsoleSetting
  private let mirror: StationMirror
  private let alerts: AlertWatch?
  private let server: ConsoleServer
  private let kept: KeptCertificate?
  private let look: Duration
  private let now: @Sendable () -> WallTime
  private let onReady: @Sendable (ListenAddress) -> Void
  private var logger: Logger { setting.logger }

  /// Puts the console together; nothing listens before `run`.
  /// - Parameters:
  ///   - name: the station's name.
  ///   - kept: the certificate that it makes for itself; `nil` where it has one, or needs none.
  ///   - secrets: where what alerts show to whoever takes them lies.
  ///   - folder: where it keeps what outlives the process; `nil` for nowhere.
  ///   - station: the station's socket.
  ///   - look: how often it is looked whether the certificate is to be made anew.
  ///   - now: the clock by which that is judged.
  ///   - onReady: called once, when requests are accepted.
  /// - Throws: why it cannot begin, and what to do.
  package init(
    _ setting: ConsoleSetting, of name: String, kept: KeptCertificate?, secrets: ConsoleSecrets, folder: String?,
    station: String = StationLimits.path, look: Duration = ConsoleService.look,
    now: @escaping @Sendable () -> WallTime = { SystemTime().wall() },
    onReady: @escaping @Sendable (ListenAddress) -> Void = { _ in }
  ) throws(ConsoleFault) {
    self.kept = kept
    self.look = look
    self.now = now
    self.onReady = onReady
    do throws(SystemError) {
      mirror = try StationMirror(path: station, names: setting.configuration.namesHolders)
    } catch {
      throw ConsoleFault("The console cannot begin: \(error.words).")
    }
    var setting = setting
    setting.alerts = try Self.alerts(of: setting, name, secrets, folder, mirror)
    alerts = setting.alerts
    self.setting = setting
    server = ConsoleServer(setting, mirror: mirror)
  }

  private static func alerts(
    of setting: ConsoleSetting, _ name: String, _ secrets: ConsoleSecrets, _ folder: String?, _ mirror: StationMirror
  ) throws(ConsoleFault) -> AlertWatch? {
    guard let alerts = setting.configuration.alerts else { return nil }
    var token: Secret?
    if let credential = alerts.token {
      let text = try secrets.foreignToken(credential)
      do { token = try Secret(text) } catch { throw ConsoleFault("The token of the alerts cannot be used.") }
    }
    do throws(HTTPTransport.SetupFault) {
      return try AlertWatch(
        alerts, station: name, token: token, authorities: alerts.caFile.map { secrets.path(of: $0) }, folder: folder,
        certificateEnds: { [identity = setting.identity] in identity.map { WallTime(seconds: $0.end) } },
        mirror: mirror,
        logger: setting.logger)
    } catch {
      throw ConsoleFault(error.description)
    }
  }

  /// Returns when everything that has to move has moved: the picture of the station, and the thread that answers.
  package func heartbeat() async {
    // It comes back in time with the station or without it, if what asks moves.
    let station = try? await mirror.snapshot(notOlderThan: .seconds(20))
    if let station { setting.access?.heed(sessionTimeout: station.control?.sessionTimeout) }
    await server.heartbeat()
  }

  package func run() async throws {
    await mirror.start()
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        // What is told for ever ends first: the server waits for what it has begun to answer.
        try? await gracefulShutdown()
        await self.mirror.stop()
      }
      group.addTask { await self.keepCertificate() }
      group.addTask { await self.keepSessionTimeout() }
      if let alerts { group.addTask { await alerts.run() } }
      defer { group.cancelAll() }
      try await server.run { [onReady, logger] address in
        let scheme = self.setting.identity == nil ? "http" : "https"
        logger.notice("The console listens at \(scheme)://\(address)")
        onReady(address)
      }
    }
    await mirror.stop()
  }

  /// What was told last holds while nobody tells.
  private func keepSessionTimeout() async {
    guard let access = setting.access else { return }
    while !Task.isCancelled {
      if let station = try? await mirror.snapshot(notOlderThan: Self.sessionLook) {
        access.heed(sessionTimeout: station.control?.sessionTimeout)
      }
      do { try await Task.sleep(for: Self.sessionLook) } catch { return }
    }
  }

  private func keepCertificate() async {
    guard let identity = setting.identity else { return }
    while !Task.isCancelled {
      let now = now().seconds
      if let kept {
        do throws(ConsoleFault) {
          // A disk may take its time.
          let (pem, isNew) = try await SystemThread.run("certificate") {
            () -> Result<(pem: [UInt8], isNew: Bool), ConsoleFault> in
            do throws(ConsoleFault) { return .success(try kept.current(at: now)) } catch { return .failure(error) }
          }.get()
          if isNew {
            try identity.renew(certificate: pem, key: pem, called: ("The console's certificate", "its key"))
            let fingerprint = CertificateFingerprint.text(ofPEM: pem) ?? "unknown"
            logger.notice("The console has made itself a new certificate: SHA-256 \(fingerprint)")
          }
        } catch {
          logger.error("\(error.description)")
        }
      } else if identity.end - now < Self.notice {
        logger.warning(
          "The console's certificate ends in \(max(0, (identity.end - now) / 86_400)) days. Put a new one into \(ConsoleSecrets.usual), and run: systemctl restart scangate-console"
        )
      }
      do { try await Task.sleep(for: look) } catch { return }
    }
  }
}
