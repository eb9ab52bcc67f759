import Glibc
import LinuxIO

/// The program's options.
struct ReportArguments {
  /// The name of the socket that the service manager passes: `FileDescriptorName=` of its unit.
  static let passedName = "report"
  /// Whose user asks for the pages.
  private static let console = "scangate-console"

  var journal = "/var/lib/scangate/journal.sqlite"
  var socket: String?
  /// It ends when nobody has come for so long; the socket starts it again.
  var idle: Duration? = .seconds(30)

  /// Root, who runs it, and the console.
  var users: Set<UInt32> { Set([0, getuid(), UserAccount(named: Self.console)?.id].compactMap(\.self)) }

  enum Parsed {
    case run(ReportArguments)
    case say(String)
    case wrong(String)
  }

  static let help = """
    scangate-report makes reports from a station's journal, for `scangate report` and the console. It needs no key, and writes
    nothing.

    USAGE: scangate-report [--journal FILE] [--socket PATH] [--idle SECONDS]

      --journal FILE    the journal; /var/lib/scangate/journal.sqlite at first
      --socket PATH     listen there; not needed where systemd passes the socket
      --idle SECONDS    end when nobody has come for so long; 30 at first, 0 for never
      --version         show the version
      --help            show this
    """

  static func parse(_ words: some Sequence<String>) -> Parsed {
    var arguments = ReportArguments()
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let option = String(parts.first ?? "")
      switch option {
      case "--help", "-h": return .say(help)
      case "--version": return .say("scangate-report 0.1.0")
      case "--journal", "--socket", "--idle": break
      default: return .wrong("There is no option \(word). See `scangate-report --help`.")
      }
      guard let value = parts.count > 1 ? String(parts[1]) : rest.popFirst(), !value.isEmpty else {
        return .wrong("\(option) needs a value after it.")
      }
      switch option {
      case "--journal": arguments.journal = value
      case "--socket": arguments.socket = value
      default:
        guard let seconds = Int64(value), (0...86_400).contains(seconds) else {
          return .wrong("--idle takes seconds, from 0 to 86400.")
        }
        arguments.idle = seconds == 0 ? nil : .seconds(seconds)
      }
    }
    return .run(arguments)
  }
}
