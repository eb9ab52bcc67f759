internal import Glibc
internal import LinuxIO
internal import ReportProtocol
internal import ScanModel
internal import Synchronization
internal import WireCoding

/// One question, from its connection to the last word.
final class ReportSession: Sendable {
  /// How often it is looked whether the asker has given up.
  private static let look: Int64 = 100

  private let client: ReportClient
  private let end: MonotonicTime
  private let progress: @Sendable (ReportClient.Progress) -> Void
  private let isCancelled = Mutex(false)

  init(client: ReportClient, limit: Duration, progress: @escaping @Sendable (ReportClient.Progress) -> Void) {
    self.client = client
    self.progress = progress
    end = SystemTime().now() + limit
  }

  func cancel() { isCancelled.withLock { $0 = true } }

  /// Asks, and takes what is answered; blocks until that is over.
  func run<Made>(
    _ request: ReportRequest, _ take: (ReportAnswer, inout Made?) -> Void, _ isWhole: (Made) -> Bool
  ) throws(ReportAbsence) -> Made {
    let socket: PacketSocket
    do throws(SystemError) {
      socket = try PacketSocket(connectingTo: client.path)
    } catch {
      throw ReportAbsence(error, at: client.path)
    }
    // What cannot be sent is told by the answer, or by the end of the connection.
    _ = socket.send(ReportRequest.hello(version: ReportLimits.version, program: client.program).bytes)
    var made: Made?
    while true {
      let answer = try next(of: socket)
      switch answer {
      case .welcome(let version):
        guard version == ReportLimits.version else { throw strange("version \(version)") }
        _ = socket.send(request.bytes)
      case .refused(let words): throw ReportAbsence(.refused, words)
      case .failed(let fault): throw ReportAbsence(.fault(fault.kind), fault.description)
      case .waiting(let ahead): progress(.waiting(ahead: Int(ahead)))
      case .progress(let scans): progress(.reading(scans: scans))
      case .file, .piece, .rows: take(answer, &made)
      case .end:
        take(answer, &made)
        guard let made, isWhole(made) else { throw strange("it is not whole") }
        return made
      }
    }
  }

  private func next(of socket: PacketSocket) throws(ReportAbsence) -> ReportAnswer {
    while true {
      switch socket.receive(limit: ReportLimits.maximumPacket) {
      case .packet(let bytes):
        do throws(WireError) {
          return try ReportAnswer(bytes: bytes)
        } catch {
          throw strange(error.description)
        }
      case .tooLong(let count): throw strange("a message of \(count) bytes")
      case .end: throw .silent(at: client.path)
      case .nothing: try wait(for: socket)
      }
    }
  }

  private func wait(for socket: PacketSocket) throws(ReportAbsence) {
    if isCancelled.withLock({ $0 }) { throw ReportAbsence(.cancelled, "Nobody waits for the report any more.") }
    let left = (end - SystemTime().now()).milliseconds
    guard left > 0 else { throw .silent(at: client.path) }
    var polled = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
    _ = poll(&polled, 1, Int32(min(left + 1, Self.look)))
  }

  private func strange(_ words: String) -> ReportAbsence {
    ReportAbsence(
      .refused,
      "What is said at \(client.path) is not understood (\(words)). Install all of scangate from one release.")
  }
}
