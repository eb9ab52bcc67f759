internal import ArgumentParser
internal import Glibc
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import WireText

/// What is sent besides what options say.
struct DataArgument: ParsableArguments {
  private static let longest = 1 << 20

  @Option(
    help: ArgumentHelp(
      "A JSON object with what is to be set, or - for standard input; options go first.", valueName: "file"),
    completion: .file())
  var data: String?

  /// The members, with those of options in the place of their own.
  func members(_ options: [String: String?], _ desk: Desk) throws -> [String: JSONValue] {
    var members = try read(desk)
    for (name, text) in options { if let text { members[name] = .string(text) } }
    return members
  }

  private func read(_ desk: Desk) throws -> [String: JSONValue] {
    guard let data else { return [:] }
    let name = data == "-" ? "Standard input" : data
    let bytes: [UInt8]
    do throws(SystemError) {
      if data == "-" {
        bytes = try SmallFile.read(STDIN_FILENO, upTo: Self.longest)
      } else {
        let file = try OwnedDescriptor.open(data, O_RDONLY | O_NONBLOCK)
        bytes = try SmallFile.read(file.number, upTo: Self.longest)
      }
    } catch {
      throw desk.failure("\(name) cannot be read: \(error.words).", DeskExit.data)
    }
    guard bytes.count <= Self.longest else { throw desk.failure("\(name) is too long.", DeskExit.data) }
    guard let value = try? JSONValue(bytes), case .object(let members) = value else {
      throw desk.failure("\(name) is no JSON object.", DeskExit.data)
    }
    return members
  }
}
