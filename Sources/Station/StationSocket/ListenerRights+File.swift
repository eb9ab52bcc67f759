package import ScanConfiguration
internal import StationProtocol

extension ListenerRights {
  /// What the station's file lets a user do.
  ///
  /// Root, and the user that the service runs as, may everything: they can read all that the station has anyway. The MQTT bridge may
  /// give the orders of `mqtt.orders` and is told no names. Everybody else who may connect, as the console does, may give those of
  /// `console.orders`, and is told holders' names with `console.names` alone.
  /// - Parameters:
  ///   - own: the user that the service runs as.
  ///   - bridge: the MQTT bridge's user; `nil` where this machine has none.
  ///   - file: what the station runs by; `nil` before there is a station.
  package static func ofUser(
    _ user: UInt32, own: UInt32, bridge: UInt32?, by file: StationConfiguration?
  ) -> ListenerRights {
    if user == 0 || user == own {
      return ListenerRights(orders: Set(OrderKind.allCases), names: true, isOwner: true)
    }
    if user == bridge { return ListenerRights(orders: file?.mqtt?.orders ?? [], names: false) }
    let console = file?.console
    return ListenerRights(orders: console?.orders ?? [], names: console?.namesHolders ?? false)
  }
}
