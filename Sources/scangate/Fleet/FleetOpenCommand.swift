import ArgumentParser
import FleetBook
import FleetSetUp
import JetStreamClaims
import ScanModel

/// `scangate fleet open`
struct FleetOpenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "open", abstract: "Make the event's book on the servers, once.",
    discussion: """
      Where it is there already, as it has to be, nothing is changed: what was written stays. One that was made and is no more is not \
      made anew without --anew: every used ticket would be new.
      """)

  @Flag(
    help:
      "Make it anew, though it was made before and is no more. Every ticket of the event that was used admits again.")
  var anew = false

  @OptionGroup var folder: FleetFolderArgument

  func run() async throws {
    let (place, layout) = try folder.read()
    let settings = try spoken { () throws(FleetFault) in try place.settings(layout) }
    let store = try connected(settings)
    let found = layout.wasOpened ? await told(store, within: .seconds(6)).bucket : nil
    if found?.isClosed == true {
      await store.stop()
      throw failure(
        "The book of \(layout.event) was closed, and stays so. Another event has another book: scangate fleet rotate event NAME \(TerminalText.clean(place.path))"
      )
    }
    if layout.wasOpened, !anew, found == nil {
      await store.stop()
      throw failure(
        "The book of \(layout.event) was made before, and nobody has it now, or nobody leads it: see scangate fleet status \(place.path). Only where it is lost for sure: --anew, by which every used ticket admits again."
      )
    }
    if layout.wasOpened, !anew {
      // What tells of it may be the last copy of a book that most servers have no more: asked to make it, they would make it anew.
      let lists = await makeListRoom(store, layout)
      await store.stop()
      return try isOpen(place, layout, lists)
    }
    var fault: ClaimFault?
    do throws(ClaimFault) {
      try await store.makeBucket(bytes: layout.room, until: SystemTime().now() + .seconds(30))
    } catch { fault = error }
    let lists = fault == nil ? await makeListRoom(store, layout) : nil
    await store.stop()
    switch fault {
    case nil: break
    case .otherVersion(let words), .refused(let words): throw failure(words)
    default:
      throw failure(
        "No majority of the servers has made the book in 30 s: \(layout.servers.map(\.description).joined(separator: ", ")). See scangate fleet status \(place.path), and at each: journalctl -u nats-server"
      )
    }
    try spoken { () throws(FleetFault) in try place.noteOpened(layout) }
    try isOpen(place, layout, lists)
  }

  /// - Returns: why there is no room for lists of tickets; `nil` where there is.
  private func makeListRoom(_ store: JetStreamClaimStore, _ layout: FleetLayout) async -> String? {
    do throws(ClaimFault) {
      try await store.makeListRoom(bytes: layout.listRoom, until: SystemTime().now() + .seconds(15))
      return nil
    } catch {
      switch error {
      case .refused(let words), .otherVersion(let words): return words
      default: return "no majority has answered"
      }
    }
  }

  private func isOpen(_ place: FleetFolder, _ layout: FleetLayout, _ lists: String?) throws {
    let isRenewed = try spoken { () throws(FleetFault) in try place.renewServers(layout) }
    if isRenewed || lists != nil {
      let why =
        lists.map { "The servers have no room for lists of tickets (\(TerminalText.clean($0)))" }
        ?? "The servers' files were of an earlier version"
      Terminal.error(
        "\(why): claims do not need it. For fleet.listsFrom copy each folder of \(TerminalText.clean(place.path))/servers to its machine, sudo sh install.sh there, and open again."
      )
    }
    Terminal.out(
      "The book of \(layout.event) is open, on \(layout.nodes.count == 1 ? "one server" : "\(layout.nodes.count) servers")."
    )
  }
}
