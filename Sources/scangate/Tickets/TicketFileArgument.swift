import ArgumentParser
import Glibc
import LinuxIO
import ScanModel
package import TicketLists

/// What commands that read a file of tickets let one say of it.
struct TicketFileArgument: ParsableArguments {
  @Option(
    name: .customLong("column"),
    help: ArgumentHelp(
      "What a column of the file means, such as quantity=Anzahl; may be given again. Meanings: "
        + "\(ColumnChoice.meanings.joined(separator: ", ")).",
      valueName: "meaning=name"))
  var columns: [ColumnChoice] = []

  @Option(
    name: .customLong("status"),
    help: ArgumentHelp(
      "What a word of a state means, such as valid=Eingebucht; may be given again.", valueName: "state=word"))
  var states: [StateChoice] = []

  @Option(help: "Which comes first in dates such as 05/11/2026; without it the language of the header tells.")
  var dates: DateOrder?

  /// Whether nothing is said.
  var isEmpty: Bool { columns.isEmpty && states.isEmpty && dates == nil }

  /// As the reader takes it.
  func rules(hasHolders: Bool = false) -> TicketFileRules {
    TicketFileRules(columns: columns, states: states, dates: dates, hasHolders: hasHolders)
  }
}

extension ColumnChoice: ExpressibleByArgument { package init?(argument: String) { self.init(argument) } }

extension StateChoice: ExpressibleByArgument { package init?(argument: String) { self.init(argument) } }

extension DateOrder: ExpressibleByArgument {}

/// An open file of tickets.
struct TicketFile: ~Copyable {
  let descriptor: OwnedDescriptor
  /// When it was last written.
  let written: WallTime

  /// Opens a plain file: it is read twice.
  static func open(_ path: String) throws -> TicketFile {
    do throws(SystemError) {
      let descriptor = try OwnedDescriptor.open(path, O_RDONLY | O_NONBLOCK)
      var status = stat()
      guard fstat(descriptor.number, &status) == 0 else { throw SystemError(errno: errno, call: "fstat") }
      guard status.st_mode & S_IFMT == S_IFREG else {
        throw SystemError(errno: status.st_mode & S_IFMT == S_IFDIR ? EISDIR : ESPIPE, call: "open")
      }
      return TicketFile(descriptor: descriptor, written: WallTime(seconds: Int64(status.st_mtim.tv_sec)))
    } catch {
      let hint = error.errno == ESPIPE ? " It has to be a file: it is read twice." : ""
      throw failure("\(path) cannot be read: \(error.words).\(hint)")
    }
  }
}
