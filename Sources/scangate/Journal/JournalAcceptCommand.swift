import ScanModel
import ArgumentParser
import Gateway
import Glibc
import Journal
import LinuxIO
import StationProtocol

/// `scangate journal accept`
struct JournalAcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept",
    abstract: "Say that a journal that was brought back, came from elsewhere, or was damaged is to be relied on.",
    discussion: """
      Who was admitted after the journal was copied, or by what is lost of it, is not in it: such tickets may admit once more. \
      Admissions that are still owed are looked up at the ticket system before it is told of them. Says first what was found; \
      --yes says it all the same, to the service that runs: until then its gates admit only whom the ticket system vouches for, and \
      nothing is told. Exit 0 where nothing is to be accepted, 1 where --yes is missing, 69 where there is no journal, or no service \
      that could be told.
      """)

  @OptionGroup var state: StateArgument

  @OptionGroup var order: OrderArguments

  @Flag(help: "Accept it. Without this only what was found is told.")
  var yes = false

  func run() async throws {
    let path = "\(state.folder)/journal.sqlite"
    let trust = JournalTrust(of: path)
    guard trust.isForeign else {
      guard access(path, F_OK) == 0 else {
        let error = SystemError(errno: errno, call: "access")
        let words =
          error.errno == ENOENT || error.errno == ENOTDIR
          ? "There is no journal \(path): nothing is to be accepted. The gateway makes it at its first start."
          : "\(path) cannot be looked at: \(error.words)."
        throw failure([words, state.hint].compactMap(\.self).joined(separator: " "), Exit.unavailable)
      }
      return Terminal.out(
        "\(TerminalText.clean(path)) is this station's own and newest journal: nothing is to be accepted.")
    }
    Terminal.out(TerminalText.clean(trust.doubt ?? "", limit: 2_000))
    guard yes else {
      Terminal.out(
        "Where the right journal can be had, put that in its place. To rely on this one: scangate journal accept --yes")
      throw ExitCode.failure
    }
    tell(try await order.perform("journal accept", .journalAccept), otherwise: "The journal is relied on.")
  }
}
