internal import LinuxIO
internal import SQLiteFile
package import ScanModel
package import Sealing
internal import WireCoding

/// A list that comes over the fleet, piece by piece, into a file beside the station's own list; on a thread of its own. Until the last piece
/// is there, and all of it is as its head says, what was there before is what gates ask.
package actor SharedListTaking {
  private let place: TicketListPlace
  private let head: SharedListHead
  private let own: ListPart
  private let now: WallTime
  private let writer: TicketListWriter
  private let thread: DeviceLoop
  private var former: TicketListReader?

  package nonisolated var unownedExecutor: UnownedSerialExecutor { thread.asUnownedSerialExecutor() }

  /// Begins; nobody notices.
  /// - Parameters:
  ///   - place: one that has an origin.
  ///   - age: how old the newest of it is now.
  ///   - now: by the best clock that there is.
  package init(
    _ head: SharedListHead, age: Duration, at now: WallTime, into place: TicketListPlace, key: SealKey
  ) throws(TicketListFault) {
    self.place = place
    self.head = head
    self.now = now
    own = ListPart(
      asOf: (now - max(.zero, age)).nanoseconds, imported: now.nanoseconds, mark: .now())
    do throws(SystemError) {
      thread = try DeviceLoop(name: "list taking")
    } catch {
      throw TicketListFault("No thread can be had for the list of tickets (\(error.words)).")
    }
    do throws(TicketListFault) {
      writer = try TicketListWriter(place, key: key, isTrial: false, isUnhurried: true)
    } catch {
      thread.stop()
      throw error
    }
    writer.kept = Guessability(bits: head.codeBits, looks: head.codeLooks)
    writer.whole =
      switch head.whole {
      case .own: .own
      case .at(let time): .part(Self.part(time.nanoseconds, head, own))
      case .never: .never
      }
  }

  deinit { thread.stop() }

  /// Takes a piece.
  /// - Throws: that it is none, or that it cannot be written.
  package func take(_ bytes: [UInt8], number: Int) throws(TicketListFault) {
    let piece: SharedTickets
    do throws(WireError) {
      piece = try SharedTickets(bytes) { [head] in SharedListHead.piece(of: $0, bits: head.bits) == number }
    } catch {
      throw TicketListFault("A piece of it cannot be read (\(error.description)).", isOfData: true)
    }
    for ticket in piece.tickets {
      try add(ticket.row, ticket.saleQuantity, ticket.row.part.map { Self.part($0.asOf, head, own) })
    }
  }

  /// Takes a piece as the list that came before has it.
  package func keep(_ number: Int) throws(TicketListFault) {
    if former == nil { former = try writer.former() }
    guard let former else { throw TicketListFault("What came before is gone.", isOfData: true) }
    let width = 1 << (16 - head.bits)
    func bound(_ number: Int) -> [UInt8] {
      let first = UInt16(clamping: number * width)
      return [UInt8(truncatingIfNeeded: first >> 8), UInt8(truncatingIfNeeded: first)]
    }
    let isLast = number + 1 >= head.pieces
    try former.each(
      where: isLast ? "t.digest >= ?1" : "t.digest >= ?1 AND t.digest < ?2",
      isLast ? [.blob(bound(number))] : [.blob(bound(number)), .blob(bound(number + 1))]
    ) { ticket, saleQuantity throws(SQLiteError) in
      try self.writer.keep(ticket, saleQuantity, line: TicketListWriter.keptLine, part: ticket.part)
    }
  }

  /// Puts the whole into its place.
  /// - Throws: why it is not: it lacks something, or cannot be written.
  package func finish() throws(TicketListFault) {
    defer { writer.discard() }
    former = nil
    let result = try writer.write(as: own, at: now) { _ in }
    guard result.codes == head.count else {
      throw TicketListFault("It has \(result.codes) tickets, and says that there are \(head.count).", isOfData: true)
    }
    try writer.publish()
  }

  private func add(_ ticket: StoredTicket, _ saleQuantity: Int?, _ part: ListPart?) throws(TicketListFault) {
    do throws(SQLiteError) {
      writer.pacer?.breathe()
      try writer.keep(ticket, saleQuantity, line: TicketListWriter.keptLine, part: part)
    } catch { throw TicketListFault(error, at: place.path) }
  }

  /// What is as much older than the newest, as it is where it came from.
  private static func part(_ asOf: Int64, _ head: SharedListHead, _ own: ListPart) -> ListPart {
    let older = saturatingDifference(head.asOf.nanoseconds, asOf)
    return ListPart(
      asOf: saturatingDifference(own.asOf, max(0, older)), imported: own.imported, mark: own.mark)
  }
}
