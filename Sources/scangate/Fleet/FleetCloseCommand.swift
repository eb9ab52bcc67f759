import ArgumentParser
import FleetBook
import FleetSetUp
import JetStreamClaims
import ScanModel

/// `scangate fleet close`
struct FleetCloseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "close", abstract: "Close an event's book, for ever: nobody is let in by it any more.",
    discussion: """
      Once the event is over, and every station has told what it owed (scangate fleet status). What was written can still be looked at. \
      A book that is closed is never opened again; a station that still goes by it lets nobody in, and says why. It keeps its room on the \
      servers' disks until it is removed: scangate fleet remove
      """)

  @OptionGroup var book: EventBookArguments

  @Flag(help: "Close it though something was written in the last ten minutes.")
  var whileUsed = false

  func run() async throws {
    try await book.with { store, found, event throws in
      guard let found else { throw failure("The servers have no book \(event).") }
      if found.isClosed {
        return Terminal.out("The book of \(event) was closed already: \(found.claims) claims.")
      }
      // It cannot be undone.
      if let age = found.age, age < .seconds(600), !whileUsed {
        throw failure(
          "In the book of \(event) something was written \(age.components.seconds) s ago: do its gates work? Closed, it lets nobody in, and is never opened again. Where that is meant: --while-used"
        )
      }
      try await store.closeBook(until: SystemTime().now() + .seconds(30))
      Terminal.out("The book of \(event) is closed: \(found.claims) claims, which can be read and never changed.")
    }
  }
}

/// `scangate fleet remove`
struct FleetRemoveCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Delete the closed book of an event, with all that is in it.",
    discussion:
      "It frees its room on the servers' disks, for the next event. Who was let in is then in the stations' journals alone."
  )

  @OptionGroup var book: EventBookArguments

  func run() async throws {
    try await book.with { store, found, event throws in
      guard let found else { return Terminal.out("The servers have no book \(event).") }
      guard found.isClosed else {
        throw failure("The book of \(event) is open: close it first, by scangate fleet close \(event) \(book.shown)")
      }
      try await store.removeListRoom(until: SystemTime().now() + .seconds(30))
      try await store.removeBook(until: SystemTime().now() + .seconds(30))
      Terminal.out("The book of \(event) is removed: \(found.claims) claims.")
    }
  }
}

/// Which event's book it is about, and the folder of its fleet.
struct EventBookArguments: ParsableArguments {
  @Argument(help: ArgumentHelp("The event.", valueName: "event"))
  var event: StationID

  @OptionGroup var folder: FleetFolderArgument

  var shown: String { TerminalText.clean(folder.folder) }

  /// Connects as who administers, and tells what there is of the book.
  func with(_ body: (JetStreamClaimStore, EventBook?, String) async throws -> Void) async throws {
    let (place, layout) = try folder.read()
    var settings = try spoken { () throws(FleetFault) in try place.settings(layout) }
    settings.bucket = event.description
    let store = try connected(settings)
    let ending: Result<Void, any Error>
    do {
      let book = try await store.eventBook(until: SystemTime().now() + .seconds(8))
      // Of the event whose key is in the folder another fleet's book is none of ours.
      if let book, !book.isOwn, event.description == layout.event {
        throw failure("The book of \(event) at these servers is another fleet's: the key in \(shown) is not its key.")
      }
      ending = .success(try await body(store, book, event.description))
    } catch let fault as ClaimFault {
      ending = .failure(failure(words(fault, layout)))
    } catch { ending = .failure(error) }
    await store.stop()
    try ending.get()
  }

  private func words(_ fault: ClaimFault, _ layout: FleetLayout) -> String {
    switch fault {
    case .otherVersion(let words), .refused(let words): words
    default:
      "No majority of the servers answers: \(layout.servers.map(\.description).joined(separator: ", ")). Nothing is known of the book; see scangate fleet status \(shown)"
    }
  }
}
