import CLinux
import Glibc

/// One end of a connection that carries packets in order and whole (SOCK_SEQPACKET); nothing in it ever blocks.
package final class PacketSocket: Sendable {
  /// What a receive brought.
  package enum Received: Sendable, Equatable {
    /// A packet.
    case packet([UInt8])
    /// A packet of this length, which is longer than was allowed.
    case tooLong(Int)
    /// Nothing is there now.
    case nothing
    /// The other end is gone.
    case end
  }

  /// Who is at the other end, as the kernel knew it when the connection was made.
  package struct Peer: Sendable, Hashable {
    /// The process.
    package let process: Int32
    /// The user.
    package let user: UInt32
  }

  private let descriptor: OwnedDescriptor
  /// The descriptor's number, to watch; it stays the socket's.
  package var number: Int32 { descriptor.number }

  /// Takes ownership of a connected socket.
  package init(owning number: Int32) { descriptor = OwnedDescriptor(owning: number) }

  /// Connects to who listens at `path`; `@name` is an abstract address.
  package init(connectingTo path: String) throws(SystemError) {
    descriptor = try OwnedDescriptor(clinux_unix_socket(Int32(SOCK_SEQPACKET.rawValue)), by: "socket")
    guard clinux_unix_connect(number, path) == 0 else { throw SystemError(errno: errno, call: "connect") }
  }

  /// Sends a packet whole or not at all.
  /// - Returns: whether it was taken; a full queue and a gone peer are both `false`.
  package func send(_ packet: [UInt8]) -> Bool {
    clinux_send(descriptor.number, nil, packet, packet.count, -1) == packet.count
  }

  /// Takes the next packet.
  /// - Parameter limit: the longest packet; descriptors that are sent along are thrown away.
  package func receive(limit: Int) -> Received {
    while true {
      var count = 0
      // Room for the longest, of which most need little: it is not filled with zeros first.
      let packet = [UInt8](unsafeUninitializedCapacity: limit) { buffer, used in
        count = clinux_receive(descriptor.number, buffer.baseAddress, limit, nil)
        used = max(0, min(count, limit))
      }
      if count > limit { return .tooLong(count) }
      // A packet of no bytes cannot be told from the end, and is no message either.
      if count > 0 { return .packet(packet) }
      if count == 0 { return .end }
      switch errno {
      case EINTR: continue
      // The peer closed without reading all of ours. What it sent before that is still there.
      case ECONNRESET: continue
      case EAGAIN: return .nothing
      default: return .end
      }
    }
  }

  /// Who is at the other end.
  package var peer: Peer? {
    var peer = clinux_peer()
    return clinux_peer_of(descriptor.number, &peer) == 0 ? Peer(process: peer.pid, user: peer.uid) : nil
  }
}

/// A socket that waits for connections of packets.
package final class PacketListener: Sendable {
  private let descriptor: OwnedDescriptor
  /// The descriptor's number, to watch; it stays the listener's.
  package var number: Int32 { descriptor.number }

  /// Takes ownership of a socket that listens, such as one that the service manager opened.
  package init(owning number: Int32) {
    descriptor = OwnedDescriptor(owning: number)
    let flags = fcntl(number, F_GETFL)
    if flags >= 0 { _ = fcntl(number, F_SETFL, flags | O_NONBLOCK) }
  }

  /// Listens at `path`, in place of a socket there that nobody listens at any more.
  /// - Parameter mode: who may connect.
  /// - Throws: the system's error; EADDRINUSE where somebody listens there, or where it is no socket.
  package init(path: String, mode: UInt32) throws(SystemError) {
    descriptor = try OwnedDescriptor(clinux_unix_socket(Int32(SOCK_SEQPACKET.rawValue)), by: "socket")
    if clinux_unix_bind(number, path) != 0 {
      let cause = SystemError(errno: errno, call: "bind")
      guard cause.errno == EADDRINUSE, Self.isLeftOver(path) else { throw cause }
      unlink(path)
      guard clinux_unix_bind(number, path) == 0 else { throw SystemError(errno: errno, call: "bind") }
    }
    // Before it listens: nobody can connect in between.
    if path.hasPrefix("/"), chmod(path, mode) != 0 { throw SystemError(errno: errno, call: "chmod") }
    guard listen(number, 8) == 0 else { throw SystemError(errno: errno, call: "listen") }
  }

  private static func isLeftOver(_ path: String) -> Bool {
    // A file that is no socket refuses connections just so, and is somebody's.
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    do throws(SystemError) {
      _ = try PacketSocket(connectingTo: path)
      return false
    } catch {
      return error.errno == ECONNREFUSED
    }
  }

  /// Takes the next connection; `nil` where none waits.
  package func accept() -> PacketSocket? {
    let number = clinux_accept(descriptor.number)
    return number < 0 ? nil : PacketSocket(owning: number)
  }
}
