internal import Gateway
import LinuxIO
import ScanModel
import StationProtocol

/// One who listens, as far as the socket knows it.
struct StationListener {
  let number: UInt64
  let socket: PacketSocket
  let peer: PacketSocket.Peer
  let rights: ListenerRights
  let reading: DeviceLoop.Watch
  /// Until its queue has room; `nil` while it has.
  var writing: DeviceLoop.Watch?
  /// What its program calls itself; `nil` before it has greeted.
  var program: String?
  var names = false
  /// The event that it is told next; `nil` where it did not ask for events.
  var next: UInt64?
  /// What is to be sent before events, in order.
  var outgoing: [[UInt8]] = []
  /// Whether it awaits a snapshot, and which look brings it.
  var awaitedLook: UInt64?
  var openOrders = 0

  var giver: OrderGiver { OrderGiver(user: peer.user, process: peer.process, program: program ?? "", names: names) }
}
