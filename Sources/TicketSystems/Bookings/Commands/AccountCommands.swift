internal import ArgumentParser
internal import Glibc
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// A secret that comes from a file: never an argument, which others could see.
enum SecretFile {
  private static let longest = 16_384

  /// Reads one: printable ASCII in one line; white space around it is dropped.
  /// - Parameters:
  ///   - file: its name; `-` for standard input.
  ///   - what: what it is to hold, for messages.
  /// - Throws: an exit that has told why it cannot be used.
  static func read(_ file: String, what: String, _ office: BoxOffice) throws -> String {
    let name = file == "-" ? "Standard input" : TerminalText.clean(file)
    let bytes: [UInt8]
    do throws(SystemError) {
      if file == "-" {
        bytes = try SmallFile.read(STDIN_FILENO, upTo: longest)
      } else {
        let opened = try OwnedDescriptor.open(file, O_RDONLY | O_NONBLOCK)
        bytes = try SmallFile.read(opened.number, upTo: longest)
      }
    } catch {
      throw office.failure("\(name) cannot be read: \(error.words).", DeskExit.data)
    }
    let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
    let kept = bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed()
    guard bytes.count <= longest, kept.count >= 4, kept.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw office.failure("\(name) is no \(what): one is printable ASCII without blanks, in one line.", DeskExit.data)
    }
    return String(decoding: kept, as: UTF8.self)
  }
}

/// The token of a mail: from a file, or asked for.
struct MailedToken: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The token that the service has mailed, - for standard input; without it, it is asked for.", valueName: "file"),
    completion: .file())
  var token: String?

  func read(_ office: BoxOffice) throws -> String {
    if let token { return try SecretFile.read(token, what: "token", office) }
    return try office.program.keys.pasted(asking: "Token of the mail: ", otherwise: "Nothing was sent.")
  }
}

/// `scangate booking verify-email`
struct VerifyEmailCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify-email", abstract: "Prove an account's address by the token of the service's mail.")

  @Option(help: ArgumentHelp("The account.", valueName: "e-mail"), transform: AccountAddress.read) var email: String
  @OptionGroup var token: MailedToken
  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    let token = try token.read(office)
    let office = office.hiding(secret: token)
    let look = "See whether it was done: scangate booking whoami"
    // In this order: what verifies in the document sends another mail in reality.
    _ = try await office.either(
      { () throws(DeskFault) in
        try await office.change(
          .get, "/api/auth/verify-email", [("token", token), ("email", email)], look: look)
      }, else: "It was asked by POST, as the document has it."
    ) { () throws(DeskFault) in
      try await office.change(
        .post, "/api/auth/verify-email", [], ["token": .string(token), "email": .string(email)], look: look)
    }
    office.print(
      .object(["email": .string(email), "emailVerified": .bool(true)]), [("E-mail", email), ("E-mail verified", "yes")])
  }
}

/// `scangate booking resend`
struct ResendCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "resend", abstract: "Have the mail sent again that proves an account's address.")

  @Option(help: ArgumentHelp("The account.", valueName: "e-mail"), transform: AccountAddress.read) var email: String
  @OptionGroup var office: BoxOfficeArguments

  func run(at office: BoxOffice) async throws {
    _ = try await office.change(
      .post, "/api/auth/verify-email", [], ["email": .string(email)], look: "See whether a mail has come.")
    office.print(
      .object(["email": .string(email), "sent": .bool(true)]), [("E-mail", email), ("Mail", "asked for")])
  }
}

/// `scangate booking password`
struct PasswordCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "password", abstract: "Have a password changed that is forgotten.",
    discussion: "The service's document has screens for it alone; real services have these calls.",
    subcommands: [Reset.self, Confirm.self])

  private static let path = "/api/auth/password-reset"

  /// That it is the document's service, where it has no such call.
  private static func explained(_ error: DeskFault) -> DeskFault {
    guard case .noWay(let words) = error else { return error }
    return .noWay("\(words) Its document has screens for it alone: use its website or app.")
  }

  /// `scangate booking password reset`
  struct Reset: BoxOfficeCommand {
    static let configuration = CommandConfiguration(
      commandName: "reset", abstract: "Have the service mail a token for a new password.")

    @Option(help: ArgumentHelp("The account.", valueName: "e-mail"), transform: AccountAddress.read) var email: String
    @OptionGroup var office: BoxOfficeArguments

    func run(at office: BoxOffice) async throws {
      do throws(DeskFault) {
        _ = try await office.change(
          .post, path, [], ["email": .string(email)], look: "See whether a mail has come.")
      } catch { throw explained(error) }
      office.print(
        .object(["email": .string(email), "sent": .bool(true)]), [("E-mail", email), ("Mail", "asked for")])
      office.tell("With the token of the mail: scangate booking password confirm --email EMAIL")
    }
  }

  /// `scangate booking password confirm`
  struct Confirm: BoxOfficeCommand {
    static let configuration = CommandConfiguration(
      commandName: "confirm", abstract: "Set a new password, by the token of the service's mail.",
      discussion: "Where nobody is at the terminal, the token comes from a file and the password from a pipe.")

    @Option(help: ArgumentHelp("The account.", valueName: "e-mail"), transform: AccountAddress.read) var email: String
    @OptionGroup var token: MailedToken
    @OptionGroup var office: BoxOfficeArguments

    func validate() throws {
      guard token.token != "-" else {
        throw ValidationError("standard input is the password's: the token wants a file.")
      }
    }

    func run(at office: BoxOffice) async throws {
      let token = try token.read(office)
      let password = try office.program.keys.password(
        asking: "New password for \(email): ", otherwise: "Nothing was sent.")
      let office = office.hiding(secret: token).hiding(secret: password)
      do throws(DeskFault) {
        _ = try await office.change(
          .put, path, [],
          [
            "token": .string(token), "email": .string(email), "password": .string(password),
            "newPassword": .string(password),
          ],
          look: "See whether it was done: scangate booking sign-in --email EMAIL")
      } catch { throw explained(error) }
      office.print(
        .object(["email": .string(email), "passwordChanged": .bool(true)]),
        [("E-mail", email), ("Password", "changed")])
      office.tell("Sessions that others have may go on until their end.")
    }
  }
}
