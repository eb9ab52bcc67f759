package import DecodeProtocol
import Glibc

/// What answers requests behind the fence.
package protocol Answering {
  /// The packet that answers a request; `nil` where it cannot be answered, which ends the worker.
  /// - Parameters:
  ///   - memory: what the client shares; it is not written while a request is not answered.
  ///   - returns: the memory for what is sent back beside a result.
  mutating func answer(
    _ request: DecodeRequest, _ memory: UnsafeRawBufferPointer, _ returns: UnsafeMutableRawBufferPointer?
  ) -> [UInt8]?

  /// The packet that follows that answer, where one does: what may come later than it.
  mutating func more(_ request: DecodeRequest, _ returns: UnsafeMutableRawBufferPointer?) -> [UInt8]?
}

extension Answering {
  package mutating func more(_ request: DecodeRequest, _ returns: UnsafeMutableRawBufferPointer?) -> [UInt8]? { nil }
}

/// A worker's life: it takes its settings, closes the fence, says so, and answers until the client is gone.
package enum Worker {
  /// How many bytes of its own a worker may use: several times the largest frame, so that several of them fit beside the
  /// gateway, or what the largest picture takes.
  private static func ownBytes(_ mode: DecodeSettings.Mode) -> Int { mode == .frames ? 128 << 20 : 1_024 << 20 }

  /// Runs the worker that reads codes, on the descriptors that its client gave it.
  /// - Returns: the process's exit status.
  package static func run() -> Int32 {
    run { settings throws(Fence.Failure) in
      do throws(PictureFault) {
        let decoder = try PictureDecoder(settings)
        WarmUp.run(decoder)
        return decoder
      } catch {
        throw Fence.Failure(description: error.words)
      }
    }
  }

  /// Runs a worker that answers in another way, behind the same fence.
  /// - Parameter make: makes what answers, before the fence is closed.
  package static func run(_ make: (DecodeSettings) throws(Fence.Failure) -> any Answering) -> Int32 {
    do throws(Fence.Failure) {
      Fence.giveWay()
      try Fence.restrict()
      guard let packet = receive(),
        case .settings(DecodeLimits.version, let settings)? = try? DecodeRequest(bytes: packet)
      else { throw Fence.Failure(description: "there is no client of this version") }
      let memory = try map(Fence.pictures, atLeast: settings.sharedBytes, PROT_READ)
      let returns = try map(Fence.returns, atLeast: settings.returnedBytes, PROT_READ | PROT_WRITE)
      var answering = try make(settings)
      try Fence.close(memory: ownBytes(settings.mode))
      guard send(DecodeAnswer.fenced(version: DecodeLimits.version).bytes) else { return 0 }
      while let packet = receive() {
        guard let request = try? DecodeRequest(bytes: packet),
          let answer = answering.answer(request, UnsafeRawBufferPointer(memory), returns)
        else { return 65 }
        guard send(answer) else { break }
        if let more = answering.more(request, returns), !send(more) { break }
      }
      return 0
    } catch {
      let words = "scangate-decode: \(error.description)\n"
      _ = write(STDERR_FILENO, words, words.utf8.count)
      return 71
    }
  }

  private static func map(
    _ number: Int32, atLeast least: Int, _ protection: Int32
  ) throws(Fence.Failure) -> UnsafeMutableRawBufferPointer {
    var status = stat()
    guard fstat(number, &status) == 0, Int(status.st_size) >= least,
      let start = mmap(nil, Int(status.st_size), protection, MAP_SHARED, number, 0), start != MAP_FAILED
    else { throw Fence.Failure(description: "there is no shared memory") }
    return UnsafeMutableRawBufferPointer(start: start, count: Int(status.st_size))
  }

  /// The next packet; `nil` where the client is gone.
  private static func receive() -> [UInt8]? {
    // Requests are short.
    var buffer = [UInt8](repeating: 0, count: 256)
    while true {
      let count = recv(Fence.socket, &buffer, buffer.count, 0)
      if count > 0 { return Array(buffer.prefix(count)) }
      if count < 0, errno == EINTR { continue }
      return nil
    }
  }

  private static func send(_ packet: [UInt8]) -> Bool {
    while true {
      let count = Glibc.send(Fence.socket, packet, packet.count, Int32(MSG_NOSIGNAL))
      if count < 0, errno == EINTR { continue }
      return count == packet.count
    }
  }
}
