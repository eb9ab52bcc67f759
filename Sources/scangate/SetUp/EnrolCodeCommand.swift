import ArgumentParser
import CodeSigning
import ScanModel
import SetUpCodes

/// `scangate enrol-code`: the codes that set a station up.
struct EnrolCodeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "enrol-code", abstract: "Make a code that sets a station up by one scan: as text and as a picture.",
    discussion: """
      First, once: --make-key organiser.key, and its line into the trust list of each station. Then a code for each station:

        scangate venue enrolment --gate north --control SOCKET | scangate enrol-code --key organiser.key --secret - --qr

      Without --secret one is made and told, for the books of the venue. With --activation, what is read is an activation code of a \
      kiosk service. Secrets are never arguments. A code is as good as a key until it is used or ends.
      """)

  @Option(
    help: ArgumentHelp(
      "Make an organiser's key in this new file, and print its line for trust lists.", valueName: "file"),
    completion: .file())
  var makeKey: String?

  @Option(help: ArgumentHelp("What trust lists are to call the key.", valueName: "name"))
  var name = "organiser"

  @Option(
    help: ArgumentHelp("The organiser's key, by which stations believe the code.", valueName: "file"),
    completion: .file())
  var key: String?

  @Option(
    help: ArgumentHelp(
      "The server that stations are to ask: tickets.example, or tickets.example:8443/venue.", valueName: "server"))
  var server: String?

  @Option(help: ArgumentHelp("The gate that the station is to be, by the venue's name for it.", valueName: "gate"))
  var gate: String?

  @Option(
    help: ArgumentHelp(
      "The secret that the venue has made, or all that it has told of it; - is standard input.", valueName: "file"),
    completion: .file())
  var secret: String?

  @Flag(help: "Make a code for a kiosk service: the activation code is asked for, or read as --secret.")
  var activation = false

  @Option(help: ArgumentHelp("The kiosk that the activation code was made for.", valueName: "id"))
  var kiosk: String?

  @Option(help: ArgumentHelp("For how long the code is good: 30min, 24h, 7d.", valueName: "time"))
  var expires: LifeArgument?

  @Option(
    help: ArgumentHelp("Write the QR code to this new file: .svg, .png or .pgm.", valueName: "file"),
    completion: .file(extensions: ["svg", "png", "pgm"]))
  var picture: String?

  @Flag(help: "Print the QR code as well.")
  var qr = false

  // Taken so that it is not shown: the parser repeats what it does not expect.
  @Argument(help: .hidden) var rest: [String] = []

  func validate() throws {
    guard rest.isEmpty else { throw ValidationError("a secret is read from a file or a pipe, and never an argument") }
    if makeKey != nil {
      guard key == nil, server == nil, gate == nil, secret == nil, !activation, kiosk == nil, picture == nil, !qr else {
        throw ValidationError("--make-key makes a key and nothing else")
      }
      guard NamedKeys.isName(name.utf8) else { throw ValidationError("a key's name has \(NamedKeys.nameRule)") }
      return
    }
    guard key != nil else {
      throw ValidationError("--key is missing: make one by scangate enrol-code --make-key organiser.key")
    }
    if activation, gate != nil { throw ValidationError("an activation code is for no gate") }
    if !activation, kiosk != nil { throw ValidationError("--kiosk goes with --activation") }
    if let picture { try CodePicture.check(picture) }
  }

  func run() throws {
    if let makeKey {
      guard let line = try signer({ () throws(OrganiserKey.FileFault) in try .make(in: makeKey) }).publicKey?.text
      else {
        throw failure("No key was made.")
      }
      Terminal.error("The key is in \(TerminalText.clean(makeKey)): keep it, and show it nobody. For trust lists:")
      Terminal.out("key \(name) \(line)")
      return
    }
    let key = try signer { () throws(OrganiserKey.FileFault) in try .read(self.key ?? "") }
    let told = try content()
    let named = try namedServer(told)
    let text: String
    do throws(SignedCode.Fault) {
      text = try SignedCode.text(told.content, at: named, expires: told.expires, by: key)
    } catch {
      throw failure("No code was made. \(error.description)", Exit.data)
    }
    let code = try CodePicture(text)
    if let picture { try code.save(to: picture) }
    Terminal.out(text)
    if qr { code.show() }
    Terminal.error(
      "It names \(named) and is good until \(told.expires.iso8601Seconds). Who has it can be the station: keep it.")
    if let made = told.made {
      Terminal.error("For the venue's books, the secret that it is to know: \(made.text)")
    }
  }

  private func signer(_ get: () throws(OrganiserKey.FileFault) -> OrganiserKey) throws -> OrganiserKey {
    try Result(catching: get).mapError { failure($0.description, $0.isOutput ? Exit.output : Exit.data) }.get()
  }

  private struct Told {
    var content: SignedCode.Content
    var server: String?
    var expires: WallTime
    /// The secret, where it was made here.
    var made: EnrolmentSecret?
  }

  private func content() throws -> Told {
    let now = SystemTime().wall()
    // Codes end at whole minutes: none before its time.
    func end(_ wanted: WallTime) -> WallTime { WallTime(seconds: (wanted.seconds + 59) / 60 * 60) }
    let usual = end(now + (expires ?? .usual).duration)
    if activation {
      let text = try read("the activation code")
      let code = String(decoding: text, as: UTF8.self).filter { !$0.isWhitespace }
      return Told(content: .activation(ActivationCode(code: code, kioskID: kiosk)), server: server, expires: usual)
    }
    var made = MadeSecret()
    if secret != nil {
      guard let told = MadeSecret(try read("the secret")) else {
        throw failure(
          "What was read is no secret: 26 letters and digits, or a line of scangate venue enrolment.", Exit.data)
      }
      made = told
    }
    guard let gate = gate ?? made.gate else {
      throw ValidationError("--gate is missing: which gate is the station to be?")
    }
    // The venue's own end is its last word: a longer life would be a promise that it breaks.
    var ends = usual
    if let told = made.expires {
      let last = WallTime(seconds: told.seconds / 60 * 60)
      if expires != nil, usual > last { Terminal.error("warning: the venue's secret ends sooner than --expires says.") }
      ends = expires == nil ? last : min(usual, last)
    }
    guard ends > now else { throw failure("The venue's secret has ended. Have a new one made.", Exit.data) }
    return Told(
      content: .enrolment(gate: gate, secret: made.secret), server: server ?? made.server, expires: ends,
      made: secret == nil ? made.secret : nil)
  }

  private func namedServer(_ told: Told) throws -> NamedServer {
    guard let text = told.server else { throw ValidationError("--server is missing: whom is the station to ask?") }
    do throws(NamedServer.Fault) {
      return try NamedServer(text)
    } catch {
      let cure =
        server == nil
        ? """
         The venue has told \(TerminalText.clean(text)): name it with --server, or serve it with --certificate and \
        --private-key, whose name it tells then, or with --public-url.
        """ : ""
      throw failure("The server cannot be named in a code (--server). \(error.description)\(cure)", Exit.data)
    }
  }

  private func read(_ what: String) throws -> [UInt8] {
    try HiddenInput.given(
      secret == "-" ? nil : secret, asking: "Paste \(what) and press Enter (it is not shown): ", upTo: 4_096,
      otherwise: "Nothing was made.", Exit.data)
  }
}

/// For how long a code is good, from a minute to a year.
struct LifeArgument: ExpressibleByArgument {
  static let usual = LifeArgument(duration: .seconds(86_400))

  let duration: Duration

  private init(duration: Duration) { self.duration = duration }

  init?(argument: String) {
    let digits = argument.prefix { $0.isASCII && $0.isNumber }
    let units: [String: Int64] = ["min": 60, "h": 3_600, "d": 86_400]
    guard digits.count <= 6, let number = Int64(digits), let unit = units[String(argument.dropFirst(digits.count))],
      (60...31_622_400).contains(number * unit)
    else { return nil }
    duration = .seconds(number * unit)
  }
}
