internal import Calls
internal import LinuxIO
internal import ScanModel
internal import Synchronization
internal import TicketSystemKit

/// What this process knows of the door of one venue, for one account: it survives a reload, as the service's count of our calls does.
final class DoorMemory: Sendable {
  /// The calls; of all venues of one server together, for it counts by our address.
  let ration: RationBook
  /// The session.
  let signIn = Mutex(SignInState())
  /// What was said of single codes.
  let checks = Mutex(CheckBook())

  init(ration: RationBook) { self.ration = ration }
}

/// The memories of a process.
final class DoorMemories: Sendable {
  /// Those of this process.
  static let process = DoorMemories()

  private let books = Mutex<[String: RationBook]>([:])
  private let doors = Mutex<[String: DoorMemory]>([:])

  /// The memory of a configured door, which others may have, too.
  /// - Parameter account: who is signed in; `nil` where nobody is.
  func memory(of server: String, venue: String, account: String?) -> DoorMemory {
    let book = books.withLock { books in
      let book = books[server] ?? RationBook(of: server)
      books[server] = book
      return book
    }
    let name = [server, venue, account ?? ""].joined(separator: "\n")
    return doors.withLock { doors in
      let door = doors[name] ?? DoorMemory(ration: book)
      doors[name] = door
      return door
    }
  }
}

/// The calls to one server, counted over all gates and commands of the station as far as a sealed record tells of those.
final class RationBook: Sendable {
  private let server: String
  private let ration = Mutex(DoorRation())
  /// One puts down at a time, so that the newest stays.
  private let writing = Mutex(())

  init(of server: String) { self.server = server }

  private var recordName: String { "bookings.calls.\(StableHash.digits(server))" }

  /// Asks for a place for a call.
  func tryTake(_ use: DoorRation.Use, at now: MonotonicTime) -> DoorRation.Decision {
    ration.withLock { $0.tryTake(use, number: .random(in: .min ... .max), at: now) }
  }

  /// Gives a place back.
  func end(_ place: DoorRation.Place, _ end: (inout DoorRation) -> Void) { ration.withLock { end(&$0) } }

  /// What is left of it; from any thread.
  func left(at now: MonotonicTime) -> RateBudget.Left { ration.withLock { $0.left(at: now) } }

  /// What is counted now.
  var state: DoorRation { ration.withLock { $0 } }

  /// Changes what is counted; for tests.
  func change(_ change: (inout DoorRation) -> Void) { ration.withLock { change(&$0) } }

  /// Takes what other processes have put down; on a thread of its own, for it blocks on the disk.
  func read(_ records: (any SessionRecords)?, _ time: any TimeSource) async {
    guard let records else { return }
    await SystemThread.run("calls") { [self] in
      guard let record = records.read(recordName).flatMap({ DoorRecord($0) }), record.subject == server else { return }
      ration.withLock { $0.take(record, at: time.now(), wall: time.wall()) }
    }
  }

  /// Puts down what other processes have to know; likewise.
  func keep(_ records: (any SessionRecords)?, _ time: any TimeSource) async {
    guard let records else { return }
    await SystemThread.run("calls") { [self] in
      writing.withLock { _ in
        var record = DoorRecord(subject: server)
        // What they have put down meanwhile stays.
        let other = records.read(recordName).flatMap { DoorRecord($0) }
        ration.withLock { ration in
          if let other, other.subject == server { ration.take(other, at: time.now(), wall: time.wall()) }
          ration.put(into: &record, at: time.now(), wall: time.wall())
        }
        records.keep(record.bytes, as: recordName)
      }
    }
  }
}
