/// The program's options.
struct Arguments {
  var socket: String?
  var state: String?
  var runtime: String?

  enum Parsed {
    case run(Arguments)
    case say(String)
    case wrong(String)
  }

  static let help = """
    scangate-outputs holds the outputs of a station: relays, lamps and buzzers. A gateway commands it
    (`scangate run --holder PATH`); without one every relay is in its safe state.

    USAGE: scangate-outputs [--socket PATH] [--state DIR] [--runtime DIR]

      --socket PATH   listen there; not needed where systemd passes the socket
      --state DIR     keep the plan there, so that the safe state is held from the start on
      --runtime DIR   note running pulses there, so that they end on time after a crash; to be gone at boot
      --version       show the version
      --help          show this

    Systemd's directories are taken where they are not given (STATE_DIRECTORY, RUNTIME_DIRECTORY).

    """

  static func parse(_ words: some Sequence<String>) -> Parsed {
    var arguments = Arguments()
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let value: String?
      switch String(parts.first ?? "") {
      case "--help", "-h": return .say(help)
      case "--version": return .say("scangate-outputs 0.1.0\n")
      case "--socket":
        value = parts.count > 1 ? String(parts[1]) : rest.popFirst()
        arguments.socket = value
      case "--state":
        value = parts.count > 1 ? String(parts[1]) : rest.popFirst()
        arguments.state = value
      case "--runtime":
        value = parts.count > 1 ? String(parts[1]) : rest.popFirst()
        arguments.runtime = value
      default: return .wrong("scangate-outputs: there is no option \(word). See `scangate-outputs --help`.\n")
      }
      if value?.isEmpty ?? true { return .wrong("scangate-outputs: \(word) needs a value after it.\n") }
    }
    return .run(arguments)
  }
}
