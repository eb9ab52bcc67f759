package import Alerts
package import Logging
package import ScanConfiguration
package import ScanModel
internal import StationProtocol
package import TicketTransport

extension AlertWatch {
  /// How old what it sees may be: who else asks meanwhile has asked for it, too.
  private static var age: Duration { .seconds(5) }

  /// The one that the file asks for; it sees the station as the console does.
  /// - Parameters:
  ///   - station: the station's name.
  ///   - token: what is shown to whoever takes the alerts.
  ///   - authorities: the file of the certificates that alone are trusted for it; `nil` for the system's.
  ///   - folder: where it keeps what outlives the process; `nil` for nowhere.
  ///   - certificateEnds: when the console's own certificate ends; `nil` where it has none.
  /// - Throws: that the file of certificates cannot be used.
  package init(
    _ alerts: AlertsConfiguration, station: String, token: Secret?, authorities: String?, folder: String?,
    certificateEnds: @escaping @Sendable () -> WallTime? = { nil }, mirror: StationMirror, logger: Logger
  ) throws(HTTPTransport.SetupFault) {
    let sender = try AlertSender(url: alerts.url, path: alerts.path, token: token, authorities: authorities)
    let settings = Settings(station: station, conditions: alerts.on, file: folder.map { "\($0)/alerts.json" })
    self.init(
      settings, sender: sender,
      look: {
        do throws(StationAbsence) {
          return .success(try await mirror.snapshot(notOlderThan: Self.age))
        } catch {
          return .failure(error)
        }
      }, certificateEnds: certificateEnds, log: { logger.warning("\($0)") })
  }
}
