import CLinux
import DecodeProtocol
import DecodeWorker
import Glibc
import ScanModel

// A worker behind the real fence that does what the first byte of a frame says.

struct Mock: Answering {
  let settings: DecodeSettings

  func answer(
    _ request: DecodeRequest, _ memory: UnsafeRawBufferPointer, _ returns: UnsafeMutableRawBufferPointer?
  ) -> [UInt8]? {
    let number: UInt64
    switch request {
    case .settings: return nil
    case .frame(let one, _), .picture(let one, _): number = one
    }
    func said(_ text: String, kind: Symbology = .qr, number: UInt64) -> [UInt8] {
      let symbol = SeenSymbol(symbology: kind, bytes: Array(text.utf8), text: text)
      return DecodeAnswer.result(number: number, DecodeResult(reading: ViewReading(symbols: [symbol]))).bytes
    }
    var pointer: UnsafeMutablePointer<CChar>? = nil
    switch memory[0] {
    case UInt8(ascii: "r"): return said("read", number: number)
    case UInt8(ascii: "s"): while true { errno = 0 }
    case UInt8(ascii: "b"):
      // Each block is touched, so that it is memory and not a promise.
      var blocks = 0
      while let block = malloc(1 << 20) {
        memset(block, 1, 1 << 20)
        blocks += 1
      }
      return said("\(blocks)", number: number)
    case UInt8(ascii: "o"): _ = open("/etc/passwd", O_RDONLY)
    case UInt8(ascii: "n"): _ = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    case UInt8(ascii: "x"): _ = execve("/bin/true", &pointer, &pointer)
    case UInt8(ascii: "f"):
      var id = pid_t()
      _ = posix_spawn(&id, "/bin/true", nil, nil, &pointer, &pointer)
    case UInt8(ascii: "m"): _ = mmap(nil, 4_096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    case UInt8(ascii: "M"): _ = mmap(nil, 4_096, PROT_READ, MAP_SHARED, 4, 0)
    case UInt8(ascii: "p"):
      if let block = mmap(nil, 4_096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) {
        _ = mprotect(block, 4_096, PROT_READ | PROT_EXEC)
      }
    case UInt8(ascii: "i"):
      var settings = termios()
      _ = tcgetattr(0, &settings)
    case UInt8(ascii: "P"): _ = clinux_no_new_privileges()
    case UInt8(ascii: "k"): _ = kill(1, 0)
    case UInt8(ascii: "d"): _ = dup(3)
    case UInt8(ascii: "c"): _ = close(3)
    case UInt8(ascii: "w"):
      // The shared memory is the client's to write.
      memory.baseAddress.map { UnsafeMutableRawPointer(mutating: $0).storeBytes(of: 1, as: UInt8.self) }
    case UInt8(ascii: "e"):
      write("one\ntwo\nthree\n")
      return said("noisy", number: number)
    case UInt8(ascii: "a"):
      // What the C library ends.
      let block = malloc(64)
      free(block)
      free(block)
    case UInt8(ascii: "y"): write("words without end\n", forever: true)
    case UInt8(ascii: "Y"):
      send(said("heard", number: number))
      write("words without end\n", forever: true)
    case UInt8(ascii: "h"):
      // It answers, and works on.
      send(said("at work", number: number))
      while spent() < 0.3 { errno = 0 }
      write("enough\n")
      while true { errno = 0 }
    case UInt8(ascii: "V"):
      return DecodeAnswer.result(
        number: number, DecodeResult(reading: ViewReading(), width: 1, height: 1, isVideo: true, hasMore: true)
      ).bytes
    case UInt8(ascii: "N"): return said("another", number: number &+ 1)
    case UInt8(ascii: "K"): return said("4006381333931", kind: .ean13, number: number)
    case UInt8(ascii: "t"): return said("and more", number: number) + [0]
    case UInt8(ascii: "g"): return [UInt8](repeating: 0xA5, count: 300)
    case UInt8(ascii: "G"): return [UInt8](repeating: 2, count: DecodeLimits.maximumPacket + 1)
    case UInt8(ascii: "F"): return DecodeAnswer.fenced(version: DecodeLimits.version).bytes
    case UInt8(ascii: "2"):
      // One answer too many.
      send(said("once", number: number))
      return said("once", number: number)
    case UInt8(ascii: "S"): return shown(Array(UnsafeRawBufferPointer(rebasing: memory[1..<8])), number, returns)
    case UInt8(ascii: "C"):
      // Character sets that a code names, behind the fence.
      let names = (1...16).filter { $0 != 12 }.map { "ISO8859-\($0)" } + ["SJIS", "BIG5", "CP437"]
      let all = names.allSatisfy { iconv_open("UTF-8", $0) != iconv_t(bitPattern: -1) }
      return said(all ? "all" : "not all", number: number)
    case UInt8(ascii: "q"): exit(3)
    default: return nil
    }
    // What was tried did nothing: the fence has a hole.
    return said("through", number: number)
  }

  /// What is told of a frame that is shown: a step a byte, of which the last is its answer; sizes are those of the step before.
  private func shown(
    _ steps: [UInt8], _ number: UInt64, _ returns: UnsafeMutableRawBufferPointer?
  ) -> [UInt8]? {
    func result(_ width: UInt32, _ height: UInt32) -> [UInt8] {
      DecodeAnswer.result(number: number, DecodeResult(reading: ViewReading(), width: width, height: height)).bytes
    }
    func picture(_ width: UInt16, _ height: UInt16, of number: UInt64) -> [UInt8] {
      DecodeAnswer.shown(number: number, ShownSize(width: width, height: height)).bytes
    }
    let packets = steps.prefix { $0 != 0 }.compactMap { step -> [UInt8]? in
      switch step {
      case UInt8(ascii: "r"): return result(1_280, 720)
      case UInt8(ascii: "e"): return result(0, 720)
      case UInt8(ascii: "h"): return result(.max, .max)
      case UInt8(ascii: "p"): return picture(640, 360, of: number)
      case UInt8(ascii: "q"): return picture(640, 640, of: number)
      case UInt8(ascii: "z"): return picture(0, 0, of: number)
      case UInt8(ascii: "m"): return picture(.max, .max, of: number)
      case UInt8(ascii: "o"): return picture(640, 360, of: number &- 1)
      case UInt8(ascii: "b"): return DecodeAnswer.spoilt(number: number, PictureFault(.damaged, "spoilt")).bytes
      case UInt8(ascii: "g"):
        // No picture of anything.
        guard let returns else { return nil }
        for place in returns.indices { returns[place] = UInt8(truncatingIfNeeded: place &* 97 ^ place >> 7) }
        return nil
      case UInt8(ascii: "s"): while true { errno = 0 }
      default: return nil
      }
    }
    for packet in packets.dropLast() { send(packet) }
    return packets.last
  }

  private func send(_ packet: [UInt8]) { _ = Glibc.send(3, packet, packet.count, 0) }

  private func write(_ words: String, forever: Bool = false) {
    repeat { _ = Glibc.write(STDERR_FILENO, words, words.utf8.count) } while forever
  }

  /// The processor's time that it has used, in seconds.
  private func spent() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}

exit(
  Worker.run { settings throws(Fence.Failure) in
    switch settings.stages {
    case 1: throw Fence.Failure(description: "no wish to start")
    case 2: exit(Int32(9))
    case 3: while true { _ = pause() }
    default:
      WarmUp.openCharacterSets()
      return Mock(settings: settings)
    }
  })
