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
      guard let listener = try listener(passed, path, logger) else { return nil }
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

  /// Whose members may look at the station; as the socket's unit has it.
  static let lookers = "scangate-console"

  /// Lets members of a group connect to a socket of ours.
  /// - Returns: why they cannot, in words; `nil` where they can.
  static func share(_ path: String, with name: String = lookers) -> String? {
    let place = TerminalText.clean(path)
    guard let group = UserGroup(named: name) else {
      return "There is no group \(name) here: \(place) is for this user and root alone."
    }
    do throws(SystemError) {
      try group.take(path)
      return nil
    } catch {
      return """
        \(place) cannot be given to the group \(name) (\(error.words)), and is for this user and root alone: run as root, or as one of its \
        members.
        """
    }
  }

  private static func listener(
    _ passed: [ServiceManager.PassedDescriptor], _ path: String?, _ logger: Logger
  ) throws(SystemError) -> PacketListener? {
    var listener: PacketListener?
    for passed in passed {
      let socket = PacketListener(owning: passed.number)
      // What nobody knows is closed.
      if passed.name == passedName, listener == nil { listener = socket }
    }
    if let listener { return listener }
    guard let path else { return nil }
    let own = try PacketListener(path: path, mode: 0o660)
    if path.hasPrefix("/"), let words = share(path) { logger.info("\(words)") }
    return own
  }
}
