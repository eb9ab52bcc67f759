import LinuxIO
import ReportProtocol
import ScanModel

/// A connection: who is there, how far the conversation has come, and what has still to be sent.
///
///     greeting ──hello──▶ asking ──question──▶ served ──all is sent──▶ over
///         └───── too late, not understood, not allowed, gone ────────────▲
struct ReportListener {
  enum Stage: Equatable {
    case greeting
    case asking
    case served
    /// When all is sent, it ends.
    case over
  }

  let socket: PacketSocket
  let user: UInt32
  var program = ""
  var stage = Stage.greeting
  /// When it ends unless something happens: a greeting, a question, something is taken.
  var deadline: MonotonicTime?
  /// What waits to be sent.
  private(set) var packets: [[UInt8]] = []
  /// The rest of a file, behind `packets`.
  private var file: ArraySlice<UInt8> = []
  private var ending: [UInt8]?

  init(socket: PacketSocket, user: UInt32, deadline: MonotonicTime) {
    self.socket = socket
    self.user = user
    self.deadline = deadline
  }

  /// Whether something waits to be sent.
  var hasMore: Bool { !packets.isEmpty || !file.isEmpty || ending != nil }

  mutating func add(_ answer: ReportAnswer) { packets.append(answer.bytes) }

  /// The last words: afterwards the connection ends.
  mutating func end(_ answer: ReportAnswer) {
    add(answer)
    stage = .over
  }

  /// A whole report, in pieces as they are taken.
  mutating func add(_ made: ReportMaker.Made) {
    add(.file(made.head))
    file = made.bytes[...]
    ending = ReportAnswer.end(next: nil).bytes
    stage = .over
  }

  /// Sends what is taken now.
  /// - Returns: whether something was.
  mutating func pump() -> Bool {
    var isMoved = false
    // So many at once: others come as well.
    for _ in 0..<16 {
      if packets.isEmpty, !file.isEmpty {
        packets.append(ReportAnswer.piece(Array(file.prefix(ReportLimits.maximumPiece))).bytes)
        file = file.dropFirst(ReportLimits.maximumPiece)
      }
      if packets.isEmpty, let last = ending {
        packets.append(last)
        ending = nil
      }
      guard let packet = packets.first, socket.send(packet) else { break }
      packets.removeFirst()
      isMoved = true
    }
    return isMoved
  }
}
