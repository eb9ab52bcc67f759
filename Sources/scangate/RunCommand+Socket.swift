import Gateway
import Glibc
import LinuxIO
import Logging
import ScanModel
import StationProtocol
import StationSocket

extension RunCommand {
  /// The name of the socket that the service manager passes: `FileDescriptorName=` of its unit.
  private static let passedName = "station"

  /// Where others see the station and order something of it. What keeps it from that is told, and keeps no gate from deciding.
  /// - Parameters:
  ///   - passed: what the service manager has passed.
  ///   - path: where to listen where it has passed no such socket; `nil` where nobody is to be listened to.
  static func socket(
    _ passed: [ServiceManager.PassedDescriptor], _ path: String?, of running: RunningStation, _ events: EventHub,
    _ logger: Logger
  ) -> StationSocket? {
    do throws(SystemError) {
      guard let listener = try listener(passed, path) else { return nil }
      let face = StationFace(
        name: { running.name }, version: running.version, snapshot: { await running.snapshot() },
        perform: { order, giver in await running.perform(order, by: giver) },
        rights: rights(by: running),
        refused: { order, giver, words in running.refused(order, by: giver, words) },
        dropped: { events.view.dropped($0) })
      return try StationSocket(at: listener, of: face, events: events)
    } catch {
      let place = path ?? StationLimits.path
      logger.error(
        """
        Nobody can look at the station, nor order anything of it: \(TerminalText.clean(place)) cannot be listened at \
        (\(error.description)). Gates decide all the same. See systemctl status scangate-station.socket
        """)
      return nil
    }
  }

  /// The user of the MQTT bridge.
  private static let bridge = "scangate-mqtt"

  /// What a user may do, by the file as it is then.
  private static func rights(by running: RunningStation) -> @Sendable (UInt32) -> ListenerRights {
    // Looked up once: that may take long, and nobody waits for it here.
    let (own, bridge) = (getuid(), UserAccount(named: bridge)?.id)
    return { user in ListenerRights.ofUser(user, own: own, bridge: bridge, by: running.configuration) }
  }

  private static func listener(
    _ passed: [ServiceManager.PassedDescriptor], _ path: String?
  ) throws(SystemError) -> PacketListener? {
    var listener: PacketListener?
    for passed in passed {
      let socket = PacketListener(owning: passed.number)
      // What nobody knows is closed.
      if passed.name == passedName, listener == nil { listener = socket }
    }
    if let listener { return listener }
    return try path.map { path throws(SystemError) in try PacketListener(path: path, mode: 0o660) }
  }
}
