import ArgumentParser
import FirstRunPage
import Glibc
import LinuxIO

/// `scangate setup-page`: the page's process, started by `scangate setup --web` and by nobody else.
struct SetupPageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "setup-page", abstract: "The page of scangate setup --web, as a process.", shouldDisplay: false)

  @Flag(help: .hidden) var confined = false

  func run() async throws {
    signal(SIGPIPE, SIG_IGN)
    // Whoever holds the other end decides when it ends: Ctrl-C reaches the whole group.
    signal(SIGINT, SIG_IGN)
    var kind: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(PageFence.socket, SOL_SOCKET, SO_TYPE, &kind, &size) == 0,
      kind == Int32(SOCK_SEQPACKET.rawValue)
    else { throw failure("This is started by: scangate setup --web", Exit.usage) }
    do throws(SystemError) {
      if !confined { try PageFence.close(beginningAnew: ["scangate", "setup-page", "--confined"]) }
      try PageFence.hide()
    } catch {
      throw failure("The page's process cannot give up its rights: \(error.description)")
    }
    try await PageServer(PacketSocket(owning: PageFence.socket)) { code in
      QRPicture(text: code)?.svg ?? ""
    }.run()
  }
}
