import ArgumentParser
import Glibc
import LinuxIO
import Sealing

/// Input that nobody shall see.
enum HiddenInput {
  /// A secret of a file, or of standard input: asked for where that is a terminal.
  /// - Throws: an exit that has told why there is none, or why it can be none.
  static func secret(_ file: String?, asking prompt: String, otherwise refusal: String) throws -> PastedSecret {
    // White space around it is cut away later; what is far too long is no secret.
    let limit = 2 * PastedSecret.longest
    let bytes = try given(file, asking: prompt, upTo: limit, otherwise: refusal)
    do throws(PastedSecret.Fault) {
      if bytes.count > limit { throw .tooLong }
      return try PastedSecret(bytes)
    } catch {
      throw failure("The credential was not taken. \(error.description)", Exit.data)
    }
  }

  /// A person's password: the line that standard input has, blanks and all; asked for where that is a terminal.
  /// - Throws: an exit that has told why there is none, or why it can be none.
  static func password(asking prompt: String, otherwise refusal: String) throws -> String {
    let longest = 1_024
    var bytes = try given(nil, asking: prompt, upTo: longest + 2, otherwise: refusal)
    for end in [UInt8(0x0A), 0x0D] where bytes.last == end { bytes.removeLast() }
    guard (1...longest).contains(bytes.count), let text = String(validating: bytes, as: UTF8.self),
      bytes.allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else {
      throw failure("The password was not taken: it is one line of 1 to \(longest) bytes.", Exit.data)
    }
    return text
  }

  /// What a file holds, or standard input: asked for where that is a terminal. Of what is too long, a byte more than `limit`.
  /// - Throws: an exit that has told why there is nothing; `refusal` where nobody wanted to.
  static func given(
    _ file: String?, asking prompt: String, upTo limit: Int, otherwise refusal: String,
    _ code: ExitCode = Exit.unavailable
  ) throws -> [UInt8] {
    do throws(SystemError) {
      if let file {
        let opened = try OwnedDescriptor.open(file, O_RDONLY | O_NONBLOCK)
        return try SmallFile.read(opened.number, upTo: limit)
      }
      guard isatty(STDIN_FILENO) != 0 else { return try SmallFile.read(STDIN_FILENO, upTo: limit) }
      return try ask(prompt, upTo: limit)
    } catch {
      if error.errno == ECANCELED { throw failure(refusal, ExitCode(130)) }
      throw failure("\(file ?? "The input") cannot be read: \(error.words).", code)
    }
  }

  /// A line of the terminal at standard input, which shows none of it. What comes right behind the line belongs to the same
  /// paste, and to what is handed over: half a key is none. What comes later is dropped; it is not for the shell.
  ///
  /// The terminal hands over every key at once and sends no signal meanwhile, so that Ctrl-C cannot leave it mute.
  /// - Throws: `ECANCELED` for Ctrl-C and its like.
  static func ask(_ prompt: String, upTo limit: Int) throws(SystemError) -> [UInt8] {
    let terminal = STDIN_FILENO
    var saved = termios()
    guard tcgetattr(terminal, &saved) == 0 else { throw SystemError(errno: errno, call: "tcgetattr") }
    var mute = saved
    mute.c_lflag &= ~tcflag_t(ECHO | ECHONL | ICANON | ISIG | IEXTEN)
    // VTIME and VMIN (termios.h): wait for one byte, however long.
    mute.c_cc.5 = 0
    mute.c_cc.6 = 1
    guard tcsetattr(terminal, TCSAFLUSH, &mute) == 0 else { throw SystemError(errno: errno, call: "tcsetattr") }
    defer { _ = tcsetattr(terminal, TCSAFLUSH, &saved) }
    Terminal.note(prompt)
    defer { Terminal.note("\n") }
    var line: [UInt8] = []
    while true {
      var byte: UInt8 = 0
      let count = Glibc.read(terminal, &byte, 1)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(errno: errno, call: "read") }
      switch byte {
      case _ where count == 0: return line
      case 0x0A, 0x0D, 0x04: return try line + [0x0A] + rest(terminal, upTo: limit)
      case 0x03, 0x1C: throw SystemError(errno: ECANCELED, call: "read")
      case 0x15: line = []
      case 0x08, 0x7F:
        // The whole character, however many bytes it has.
        while let last = line.popLast(), last & 0xC0 == 0x80 {}
      case _ where line.count <= limit: line.append(byte)
      default: break
      }
    }
  }

  /// What comes without a pause; a paste has none, and a person cannot be so quick.
  private static func rest(_ terminal: Int32, upTo limit: Int) throws(SystemError) -> [UInt8] {
    let pause: Int32 = 100  // ms
    var rest: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while rest.count <= limit {
      var waiting = pollfd(fd: terminal, events: Int16(POLLIN), revents: 0)
      let ready = poll(&waiting, 1, pause)
      if ready < 0, errno == EINTR { continue }
      guard ready >= 0 else { throw SystemError(errno: errno, call: "poll") }
      if ready == 0 { break }
      let count = Glibc.read(terminal, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw SystemError(errno: errno, call: "read") }
      if count == 0 { break }
      rest += buffer.prefix(count)
    }
    return rest
  }
}
