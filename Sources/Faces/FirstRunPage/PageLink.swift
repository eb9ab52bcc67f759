internal import Glibc
package import LinuxIO

/// One end of what the two processes say to each other.
package final class PageLink: Sendable {
  private let socket: PacketSocket

  package init(_ socket: PacketSocket) { self.socket = socket }

  /// Says something.
  /// - Returns: whether it was taken.
  @discardableResult package func send(_ message: PageMessage) -> Bool { socket.send(message.bytes) }

  /// Tells what the other end says, from a thread of its own, until that is gone: `nil` then. What is no message ends it, too.
  /// - Throws: where the system has no thread for it.
  package func listen(_ tell: @escaping @Sendable (PageMessage?) -> Void) throws(SystemError) {
    try SystemThread.start("page") { [socket] in
      while true {
        var waiting = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
        if poll(&waiting, 1, -1) < 0, errno != EINTR { return tell(nil) }
        switch socket.receive(limit: PageMessage.longest) {
        case .nothing: continue
        case .end, .tooLong: return tell(nil)
        case .packet(let bytes):
          guard let message = PageMessage(bytes) else { return tell(nil) }
          tell(message)
        }
      }
    }
  }
}
