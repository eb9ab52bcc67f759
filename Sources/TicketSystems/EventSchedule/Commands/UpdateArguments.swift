internal import ArgumentParser
internal import Glibc
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// How something is changed so that nothing else is.
struct UpdateArguments: ParsableArguments {
  static let discussion = """
    It is read, the difference is shown, the whole is sent, and read back: where anything else changed, the command says so and ends \
    with 1. What it was before is kept in a new file first, which is the --data of another update that brings it back.
    """

  @Option(
    help: ArgumentHelp(
      "The new file for what it was before; without it one that is named after it, in this folder.", valueName: "file"),
    completion: .file())
  var undo: String?

  @Flag(help: "Do not ask where types of tickets go.") var yes = false

  /// Changes one.
  func run<Record: DeskRecord>(
    _ resource: DeskResource, _ id: String, changes: [String: JSONValue], as kind: Record.Type, _ desk: Desk
  ) async throws {
    guard !changes.isEmpty else { throw desk.failure("Say what is to be changed, or name --data.", DeskExit.usage) }
    let (told, scheduleZone) = try await desk.before { client throws(DeskFault) in
      let told = try await client.show(resource, id)
      return (told, try await client.scheduleZone(of: told))
    }
    let id = told["id"]?.identifier ?? id
    let update: ResourceUpdate
    var ways: [DeskWay]
    var fault: ResourceUpdate.Fault?
    do throws(ResourceUpdate.Fault) {
      update = try ResourceUpdate(
        resource, of: told, changes: changes, clocks: desk.zone, scheduleZone: scheduleZone)
      ways = [DeskWay(method: .put, path: resource.path(id), body: try update.body(.asTold))]
    } catch {
      throw desk.failure(error.words, DeskExit.data)
    }
    do throws(ResourceUpdate.Fault) {
      ways.append(DeskWay(method: .patch, path: resource.path(id), body: try update.body(.byClocks)))
    } catch {
      fault = error
    }
    guard !update.differences.isEmpty else {
      desk.tell("Nothing would change: nothing was sent.")
      return try desk.print(told, as: kind, zone: scheduleZone)
    }
    try show(update, desk)
    let bytes = update.undo.written + [0x0A]
    let name = UndoFile.name(resource, id, desk.time.wall())
    let file: String
    do throws(SystemError) {
      if let undo {
        try NewFile.write(bytes, to: undo)
        file = undo
      } else {
        file = try UndoFile.write(bytes, named: name)
      }
    } catch {
      let words = error.errno == EEXIST ? "something of that name is there, and is not overwritten" : error.words
      throw desk.failure(
        "Nothing was sent. \(undo ?? name + ".json"): \(words). Name a new file by --undo.", DeskExit.output)
    }
    let back = "scangate eventschedule \(resource.path) update \(id) --data \(file)"
    desk.tell("What it was is kept in \(file).")
    do {
      _ = try await desk.change(ways, look: "\(resource.path) show \(id)")
    } catch DeskFault.noWay(_) where fault != nil {
      throw desk.failure("Nothing was sent. \(fault?.words ?? "")", DeskExit.data)
    }
    try await check(update, id, as: kind, zone: scheduleZone, back: back, desk)
  }

  /// Shows what will be another, and asks where that is for good.
  private func show(_ update: ResourceUpdate, _ desk: Desk) throws {
    for difference in update.differences { desk.tell(words(difference, desk)) }
    let lost = update.lostTypes
    if !lost.isEmpty {
      for type in lost { desk.tell("ticket type that goes: \(type.words)") }
      if !yes {
        try desk.confirm(
          "Delete \(lost.count == 1 ? "this ticket type" : "these ticket types")?", to: "delete ticket types",
          otherwise: "Nothing was sent.")
      }
    }
    if update.mayLoseRoom {
      desk.tell(
        "Its venue has rooms, and servers that do not tell which room an event is in may forget it: see events show afterwards, or "
          + "name venue_room_id in --data.")
    }
  }

  /// Reads it back.
  private func check<Record: DeskRecord>(
    _ update: ResourceUpdate, _ id: String, as kind: Record.Type, zone: String?, back: String, _ desk: Desk
  ) async throws {
    let now: JSONValue
    do throws(DeskFault) {
      now = try await desk.client.show(update.resource, id)
    } catch {
      throw desk.failure("It was taken, but could not be read back: \(error.words)", DeskExit.unclear)
    }
    let faults = update.faults(in: now)
    guard faults.isEmpty else {
      for fault in faults { desk.tell("not as it should be: \(words(fault, desk))") }
      throw desk.failure(
        "The server took it, and what it tells now is not what was sent. To bring back what it was: \(back)",
        DeskExit.refused)
    }
    desk.tell("Changed, and nothing else was. To bring back what it was: \(back)")
    try desk.print(now, as: kind, zone: zone)
  }

  private func words(_ difference: ResourceUpdate.Difference, _ desk: Desk) -> String {
    func value(_ value: JSONValue) -> String {
      if value.isVoid { return "nothing" }
      if difference.name == "tickets" {
        return value.elements.map { DeskTicketType($0, hiding: desk.client.secrets).words }.joined(separator: "; ")
      }
      return value.shown(hiding: desk.client.secrets)
    }
    return "\(difference.name): \(value(difference.before)) -> \(value(difference.after))"
  }
}
