import ArgumentParser
import FoundationEssentials
import Glibc
import LinuxIO

/// Lines to the two standard streams, written whole. What comes from outside is cleaned before it gets here.
enum Terminal {
  static func out(_ line: String) { say(line + "\n", to: STDOUT_FILENO) }

  /// A value as JSON for people: indented, with its keys in order.
  static func out(json value: some Encodable) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    out(String(decoding: try encoder.encode(value), as: UTF8.self))
  }

  static func error(_ line: String) { say(line + "\n", to: STDERR_FILENO) }

  /// A line to standard error that matters so much, which systemd's journal is told.
  static func error(_ line: String, _ priority: SystemJournal.Priority) { error(SystemJournal.marked(line, priority)) }

  /// Text to standard error without a line feed: a question.
  static func note(_ text: String) { say(text, to: STDERR_FILENO) }

  /// Returns where somebody types yes.
  /// - Parameters:
  ///   - words: what `--yes` says where nobody is here: "wipe …".
  ///   - refusal: what is told where it is not wanted.
  static func confirm(_ question: String, to words: String, otherwise refusal: String) throws {
    guard isatty(STDIN_FILENO) != 0 else {
      throw failure("Nobody is here to be asked: add --yes to \(words).", Exit.usage)
    }
    note("\(question) Type yes: ")
    guard readLine() == "yes" else { throw failure(refusal, ExitCode(130)) }
  }

  /// The line that tells how far a command is.
  static func draw(_ text: String) { write(text, to: STDERR_FILENO) }

  /// Text for a terminal as it is, without a line feed.
  static func write(_ text: String) { write(text, to: STDOUT_FILENO) }

  /// Whether standard output is a terminal that may be given colours.
  static var isColourful: Bool { isPage && getenv("NO_COLOR") == nil }

  /// Whether standard output is a terminal on which something can be drawn anew.
  static var isPage: Bool { isatty(STDOUT_FILENO) != 0 && variable("TERM") != "dumb" }

  /// What this process is told by a variable of its environment; `nil` where it is not set.
  static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  private static func say(_ text: String, to descriptor: Int32) {
    ProgressLine.makeRoom()
    write(text, to: descriptor)
  }

  private static func write(_ text: String, to descriptor: Int32) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let written = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if written < 0 {
        if errno == EINTR { continue }
        // Whoever stops reading has read enough; a full disk means that what was asked for is not there.
        if errno == EPIPE || descriptor == STDERR_FILENO { return }
        error("The output cannot be written: \(String(cString: strerror(errno))).")
        exit(74)
      }
      bytes = bytes.dropFirst(written)
    }
  }
}
