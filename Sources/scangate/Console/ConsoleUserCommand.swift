import ArgumentParser
import Console
import Glibc
import LinuxIO
import ScanModel

/// `scangate console user`: who may sign in to the console's pages.
struct ConsoleUserCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "user", abstract: "Say who may sign in to the console's pages.",
    discussion: "What is changed holds at once, and ends the sessions of whom it is about.",
    subcommands: [Add.self, List.self, Password.self, Remove.self])

  /// `scangate console user add`
  struct Add: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "add", abstract: "Let somebody sign in.",
      discussion: ConsoleUserCommand.passwordWords)

    @Argument(help: "The name: at most 32 small letters, digits, dots, - and _, no mark first.")
    var name: String

    @Option(help: "What they may: attendant, technician or organiser.")
    var role: String

    @OptionGroup var access: AccessArgument

    func validate() throws {
      try AccessArgument.check(name)
      guard PageRole(rawValue: role).map(PageUser.roles.contains) == true else {
        throw ValidationError("--role takes \(PageUser.roles.map(\.rawValue).joined(separator: ", ")).")
      }
    }

    func run() throws {
      guard let role = PageRole(rawValue: role) else { return }
      let user = PageUser(name: name, role: role, hash: try ConsoleUserCommand.hash(for: name))
      try access.changeUsers("add \(name) --role \(role.rawValue)") { users in
        guard users[name] == nil else {
          throw failure(
            "There is a user \(name) already. Another password: sudo scangate console user password \(name)", Exit.data)
        }
        guard users.set(user) else {
          throw failure("There are \(PageUsers.most) users, and no more may be.", Exit.data)
        }
      }
      Terminal.out("\(name) may sign in now, as \(role.rawValue).")
    }
  }

  /// `scangate console user list`
  struct List: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "list", abstract: "Show who may sign in, and as what.")

    @OptionGroup var access: AccessArgument

    func run() throws {
      let users = try access.users()
      if users.users.isEmpty { Terminal.error("Nobody may sign in: scangate console user add NAME --role attendant") }
      let width = users.users.map(\.name.utf8.count).max() ?? 0
      for user in users.users {
        Terminal.out(user.name + String(repeating: " ", count: width - user.name.utf8.count + 2) + user.role.rawValue)
      }
    }
  }

  /// `scangate console user password`
  struct Password: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "password", abstract: "Give a user another password, and end their sessions.",
      discussion: ConsoleUserCommand.passwordWords)

    @Argument(help: "The user.")
    var name: String

    @OptionGroup var access: AccessArgument

    func validate() throws { try AccessArgument.check(name) }

    func run() throws {
      // Before anybody types anything.
      guard try access.users()[name] != nil else { throw ConsoleUserCommand.unknown(name) }
      let hash = try ConsoleUserCommand.hash(for: name)
      try access.changeUsers("password \(name)") { users in
        guard let user = users[name] else { throw ConsoleUserCommand.unknown(name) }
        _ = users.set(PageUser(name: name, role: user.role, hash: hash))
      }
      Terminal.out("\(name) has another password now, and is signed in nowhere.")
    }
  }

  /// `scangate console user remove`
  struct Remove: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Let a user sign in no more, and end their sessions.")

    @Argument(help: "The user.")
    var name: String

    @OptionGroup var access: AccessArgument

    func validate() throws { try AccessArgument.check(name) }

    func run() throws {
      try access.changeUsers("remove \(name)") { users in
        guard users.remove(name) else { throw ConsoleUserCommand.unknown(name) }
      }
      Terminal.out("\(name) may sign in no more, and is signed in nowhere.")
    }
  }

  fileprivate static let passwordWords = """
    The password is asked for without showing it, or read from a pipe, and never an argument: those are seen by every user of the \
    machine. It has \(PasswordRule.shortestPassword) characters or more; a PIN, of digits alone, has \(PasswordRule.shortestPIN) or more.
    """

  fileprivate static func unknown(_ name: String) -> any Error {
    failure("There is no user \(name). Who there are: sudo scangate console user list", Exit.data)
  }

  /// A new password, asked for twice where somebody types it.
  fileprivate static func hash(for name: String) throws -> PasswordHash {
    let refusal = "Nothing was changed."
    let password = try HiddenInput.password(
      asking: "Password or PIN of \(name) (it is not shown): ", otherwise: refusal)
    if let words = PasswordRule.refusal(of: password, for: name) {
      throw failure("The password was not taken. \(words)", Exit.data)
    }
    if isatty(STDIN_FILENO) != 0 {
      guard try HiddenInput.password(asking: "Once more: ", otherwise: refusal) == password else {
        throw failure("They are not the same. \(refusal)", Exit.data)
      }
    }
    guard let hash = PasswordHash(of: password) else { throw failure("There is no memory for it. \(refusal)") }
    return hash
  }
}

/// Where it stands who may see the console's pages.
struct AccessArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp("The folder with the users and door screens of its pages.", valueName: "folder"),
    completion: .directory)
  var access = AccessFile.usual

  static func check(_ name: String) throws {
    guard PageUser.isName(name) else {
      throw ValidationError("A name has at most 32 small letters, digits, dots, - and _, no mark first, such as anna.")
    }
  }

  /// The users.
  func users() throws -> PageUsers {
    try read(AccessFile.users(in: access), PageUsers.longest, "user list", PageUsers()) {
      bytes throws(AccessFileFault) in
      try PageUsers(bytes)
    }
  }

  /// The door screens.
  func devices() throws -> PageDevices {
    try read(AccessFile.devices(in: access), PageDevices.longest, "device list", PageDevices()) {
      bytes throws(AccessFileFault) in
      try PageDevices(bytes)
    }
  }

  /// Changes the users, all or nothing.
  /// - Parameter command: what is asked for again as root, behind `scangate console user`.
  func changeUsers(_ command: String, _ change: (inout PageUsers) throws -> Void) throws {
    try self.change(AccessFile.users(in: access), PageUsers.longest, "user \(command)") { bytes in
      var users = try bytes.map { bytes throws(AccessFileFault) in try PageUsers(bytes) } ?? PageUsers()
      try change(&users)
      return users.text
    }
  }

  /// Changes the door screens, all or nothing.
  func changeDevices(_ command: String, _ change: (inout PageDevices) throws -> Void) throws {
    try self.change(AccessFile.devices(in: access), PageDevices.longest, "device \(command)") { bytes in
      var devices = try bytes.map { bytes throws(AccessFileFault) in try PageDevices(bytes) } ?? PageDevices()
      try change(&devices)
      return devices.text
    }
  }

  private func change(_ path: String, _ limit: Int, _ command: String, _ change: ([UInt8]?) throws -> String) throws {
    do {
      try AccessFile.change(path, upTo: limit) { [UInt8](try change($0).utf8) }
    } catch let fault as AccessFileFault {
      throw Self.failure(path, fault)
    } catch let error as SystemError {
      throw Self.failure(path, error, command)
    }
  }

  private func read<Content>(
    _ path: String, _ limit: Int, _ command: String, _ none: Content,
    _ read: ([UInt8]) throws(AccessFileFault) -> Content
  ) throws -> Content {
    let bytes: [UInt8]
    do throws(SystemError) {
      bytes = try SmallFile.read(path, limit: limit + 1)
    } catch {
      if error.errno == ENOENT { return none }
      throw Self.failure(path, error, command)
    }
    do throws(AccessFileFault) { return try read(bytes) } catch { throw Self.failure(path, error) }
  }

  private static func failure(_ path: String, _ fault: AccessFileFault) -> any Error {
    scangate.failure("\(path):\(fault.line) \(fault.words). Remove the line; nothing was changed.", Exit.data)
  }

  private static func failure(_ path: String, _ error: SystemError, _ command: String) -> any Error {
    let remedy = [EACCES, EPERM].contains(error.errno) ? "Ask as root: sudo scangate console \(command)" : ""
    return scangate.failure("\(path) cannot be read or written: \(error.words). \(remedy)", Exit.unavailable)
  }
}
