internal import KioskControl
package import ScanConfiguration
package import ScanModel
package import SetUpCodes
internal import TicketSystemKit
internal import TicketTransport

extension ControlServer {
  /// The configured service.
  package init(_ configuration: ControlServiceConfiguration) {
    let url = configuration.url
    self.init(url: (url.isSecure ? "https://" : "http://") + url.hostAndPort + url.path, name: url.hostAndPort)
  }

  /// A server that a set-up code names; whether it may be spoken to has been decided.
  package init(_ server: NamedServer) {
    self.init(url: "https://" + server.hostAndPort + server.path, name: server.hostAndPort)
  }
}

extension ControlSession {
  /// Connects to control services as a station is configured: the configured one by its own certificates, and by plain HTTP
  /// where that is allowed; any other by HTTPS and the certificates for set-up codes.
  package static func connecting(
    as configuration: StationConfiguration, time: any TimeSource
  ) -> Connect {
    let control = configuration.control
    let others = configuration.setUp?.caFile?.path
    return { server throws(SetupError) in
      let own = control.flatMap { server.isSame(as: ControlServer($0)) ? $0 : nil }
      // A path that was configured anew holds for a station that was activated below the former one.
      let url = own.map { ControlServer($0).url } ?? server.url
      let address: ServerAddress
      do throws(ServerAddress.Fault) {
        address = try ServerAddress(url, allowPlainHTTP: own?.allowPlainHTTP ?? false)
      } catch {
        throw SetupError("The control service \(server): \(error.description)")
      }
      guard address.isSecure || own != nil else {
        throw SetupError("The control service \(server) is not the configured one: it is spoken to by https alone.")
      }
      var settings = KioskClient.transportSettings
      if let file = own == nil ? others : own?.caFile?.path { settings.trust = .onlyFile(path: file) }
      do throws(HTTPTransport.SetupFault) {
        return KioskClient(transport: try HTTPTransport(server: address, settings: settings, time: time), time: time)
      } catch {
        throw SetupError("The control service \(server): \(error.description)")
      }
    }
  }
}
