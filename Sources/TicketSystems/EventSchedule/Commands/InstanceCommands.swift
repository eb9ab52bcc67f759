internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// `scangate eventschedule instances`
struct InstancesCommand: AsyncParsableCommand, TicketSystemCommand {
  static let configuration = CommandConfiguration(
    commandName: "instances", abstract: "Show the servers that are connected; asks none of them.")

  @Flag(help: "Print one JSON object a server.")
  var json = false

  @OptionGroup var arguments: InstanceArguments

  func run(in program: any CommandHost) async throws {
    let all = try arguments.all(program)
    if all.isEmpty, !json { program.out("No server is connected.") }
    for instance in all {
      let hasKey = try program.keys.hasCredential(instance.credential, state: arguments.state)
      guard !json else {
        program.out(ConnectText.json(instance, hasKey: hasKey))
        continue
      }
      program.out(
        "\(instance.name)  \(instance.url)  "
          + (hasKey
            ? "key: credential \(instance.credential)" : "no key: scangate eventschedule key set \(instance.name)"))
    }
  }
}

/// `scangate eventschedule verify`
struct VerifyCommand: AsyncParsableCommand, TicketSystemCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Ask a connected server whether it takes its key.",
    discussion: "Ends with 0 where it does.")

  @Argument(help: "Its name; not needed where there is one alone.")
  var name: String?

  @OptionGroup var arguments: InstanceArguments

  func run(in program: any CommandHost) async throws {
    let instance = try arguments.find(name, program)
    let key = try arguments.key(of: instance, program)
    let page = try await arguments.prove(key, at: instance.api, InstanceClient(instance), program)
    let count = max(Int64(page.events.count), page.total ?? 0)
    program.out("\(instance.api.hostAndPort) takes the key of \(instance.name); its user has \(count) events.")
  }
}

/// `scangate eventschedule key`
struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Put another key of a connected server in, or take it away.",
    subcommands: [Set.self, Remove.self])

  /// `scangate eventschedule key set`
  struct Set: AsyncParsableCommand, TicketSystemCommand {
    static let configuration = CommandConfiguration(
      commandName: "set",
      abstract: "Put a key in: asked for without showing it, or read from a pipe; proved before it is kept.",
      discussion: "A running service takes it by: systemctl reload scangate")

    @Argument(help: "The server's name.")
    var name: String

    // Taken so that it is not shown: the parser repeats what it does not expect.
    @Argument(help: .hidden) var rest: [String] = []

    @OptionGroup var arguments: InstanceArguments

    func run(in program: any CommandHost) async throws {
      guard rest.isEmpty else {
        throw program.failure(
          "The key is asked for, and never an argument: this one is in your shell's memory now, withdraw it.",
          Status.usage)
      }
      let instance = try arguments.owner(name, program, instead: "set")
      let text = try program.keys.pasted(
        asking: "Paste the API key of \(instance.api.hostAndPort) and press Enter (it is not shown): ",
        otherwise: "Nothing was changed.")
      let key: Secret
      do {
        key = try Secret(text)
      } catch {
        throw program.failure(error.description, Status.data)
      }
      _ = try await arguments.prove(key, at: instance.api, InstanceClient(instance), program)
      try program.keys.keep(text, as: instance.credential, state: arguments.state)
      program.out("\(instance.api.hostAndPort) takes the key; it is the credential \(instance.credential) now.")
    }
  }

  /// `scangate eventschedule key remove`
  struct Remove: AsyncParsableCommand, TicketSystemCommand {
    static let configuration = CommandConfiguration(
      commandName: "remove", abstract: "Forget the key of a connected server; the server stays.",
      discussion: "Where it may have become known, withdraw it at the server, too.")

    @Argument(help: "The server's name.")
    var name: String

    @OptionGroup var arguments: InstanceArguments

    func run(in program: any CommandHost) async throws {
      let instance = try arguments.owner(name, program, instead: "remove")
      guard try program.keys.forget(instance.credential, state: arguments.state) else {
        throw program.failure("There is no credential \(instance.credential).", Status.unavailable)
      }
      program.out(
        "The credential \(instance.credential) is gone; \(instance.name) stays connected. A card or flash disk may keep its sealed "
          + "bytes for a while.")
    }
  }
}

/// `scangate eventschedule forget`
struct ForgetCommand: AsyncParsableCommand, TicketSystemCommand {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Forget a connected server, and the key that was put in for it.",
    discussion: "A credential that was there before it stays, and so does the configuration.")

  @Argument(help: "Its name.")
  var name: String

  @Flag(help: "Do not ask.")
  var yes = false

  @OptionGroup var arguments: InstanceArguments

  func run(in program: any CommandHost) async throws {
    guard ConnectedInstance.isName(name) else { throw program.failure("That is no name of a server.", Status.usage) }
    let record = ConnectedInstance.record(of: name)
    guard try program.keys.records(state: arguments.state).contains(record) else {
      throw program.failure("No server \(name) is connected.", Status.unavailable)
    }
    // One that cannot be read is taken away all the same.
    let bytes = try? program.keys.record(record, state: arguments.state)
    let instance = bytes.flatMap { ConnectedInstance(name: name, $0) }
    if !yes {
      try program.confirm(
        "Forget \(name)\(instance.map { " (\($0.url))" } ?? "") and its key?", to: "forget \(name)",
        otherwise: "Nothing was forgotten.")
    }
    var isKeyGone = false
    if let instance, instance.ownsCredential {
      isKeyGone = try program.keys.forget(instance.credential, state: arguments.state)
    }
    try program.keys.set(nil, record: record, state: arguments.state)
    if instance == nil {
      program.tell("Which credential held its key cannot be told any more. See: scangate credential list")
    }
    program.out(
      "\(name) is forgotten\(isKeyGone ? ", and so is its key" : ""). Have the key withdrawn at the server, too.")
  }
}
