internal import ScanModel
package import WireCoding

extension StationSnapshot {
  /// The snapshot's bytes; they travel in parts, see `parts`.
  package var bytes: [UInt8] {
    var writer = WireWriter()
    writer.put(self)
    return writer.bytes
  }

  /// Reads a snapshot.
  /// - Throws: what is wrong with it.
  package init(bytes: some Sequence<UInt8>) throws(WireError) {
    var reader = WireReader(bytes)
    self = try reader.takeSnapshot()
    try reader.end()
  }
}

extension WireWriter {
  fileprivate mutating func put(_ snapshot: StationSnapshot) {
    put(snapshot.station, snapshot.version)
    put(snapshot.at)
    put(snapshot.uptime, snapshot.isClockTrusted)
    putOptional(snapshot.reload) { writer, reload in
      writer.put(reload.outcome)
      writer.put(reload.at)
    }
    putList(snapshot.gates) { $0.put($1) }
    putList(snapshot.readers) { writer, reader in
      writer.put(reader.id.name)
      writer.put(reader.condition)
      writer.putTime(reader.since)
      writer.putTime(reader.lastRead)
      writer.put(reader.reads, reader.refusals)
      writer.put(reader.isCamera)
    }
    putList(snapshot.ticketSystems) { $0.put($1) }
    put(snapshot.outbox.isHeld, snapshot.outbox.owed)
    putTime(snapshot.outbox.oldest)
    put(snapshot.outbox.conflicts)
    putList(snapshot.outbox.open.prefix(StationLimits.maximumConflicts)) { $0.put($1) }
    put(snapshot.journal)
    putOptional(snapshot.disk) { $0.put($1.free, $1.size) }
    putOptional(snapshot.control) { $0.put($1) }
    putOptional(snapshot.fleet) { $0.put($1) }
    putName(snapshot.holder)
    putOptional(snapshot.isArmed) { $0.put($1) }
    put(snapshot.counters)
    put(snapshot.throughput)
  }

  private mutating func put(_ condition: StationSnapshot.Condition) {
    put(condition.state)
    putWords(condition.detail)
  }

  private mutating func put(_ gate: StationSnapshot.Gate) {
    put(gate.id.name)
    put(gate.condition)
    putTime(gate.since)
    putName(gate.reason?.rawValue)
    put(gate.isExit, gate.ticketSystem.name)
    putList(gate.readers) { $0.put($1.name) }
    put(gate.isDeciding)
    putName(gate.offline?.rawValue)
    putWords(gate.outputFault)
    put(gate.passed, gate.isMaintenanceOrdered)
    putName(gate.event)
  }

  private mutating func put(_ system: StationSnapshot.TicketSystem) {
    put(system.id.name, system.type)
    putName(system.host)
    putName(system.offline?.rawValue)
    putTime(system.offlineSince)
    putOptional(system.fault) { writer, fault in
      writer.put(fault.reason.rawValue)
      writer.putWords(fault.detail)
    }
    put(system.isBeingAsked)
    putWords(system.doubt)
    putOptional(system.budget) { $0.put($1.left, $1.most) }
    putTime(system.certificateEnds)
    putDuration(system.clockAhead)
    putOptional(system.list) { writer, list in
      writer.putNumber(list.tickets)
      writer.putDuration(list.age)
      writer.putDuration(list.mostAge)
      writer.putOptional(list.refresh) { $0.put($1) }
    }
    put(system.owed)
    putOptional(system.branding) { $0.put($1) }
    putName(system.event)
    putOptional(system.seats) { $0.put($1) }
  }

  private mutating func put(_ control: StationSnapshot.Control) {
    putName(control.server)
    put(control.isActivated, control.isConnected, control.isTokenValid, control.isCurrent)
    putList(control.words) { $0.putWords($1) }
    put(control.board)
    putDuration(control.sessionTimeout)
  }
}

extension WireReader {
  fileprivate mutating func takeSnapshot() throws(WireError) -> StationSnapshot {
    var snapshot = StationSnapshot(
      station: try takeText(), version: try takeText(), at: try takeTime(), uptime: try takeDuration())
    snapshot.isClockTrusted = try takeFlag()
    snapshot.reload = try takeOptional { (reader) throws(WireError) in
      StationSnapshot.Reload(outcome: try reader.takeCondition(), at: try reader.takeTime())
    }
    snapshot.gates = try takeAll { (reader) throws(WireError) in try reader.takeGate() }
    snapshot.readers = try takeAll { (reader) throws(WireError) in
      var found = StationSnapshot.Reader(
        id: ReaderID(try reader.takeText()), condition: try reader.takeCondition(), since: try reader.takeOptionalTime()
      )
      found.lastRead = try reader.takeOptionalTime()
      found.reads = try reader.take()
      found.refusals = try reader.take()
      found.isCamera = try reader.takeFlag()
      return found
    }
    snapshot.ticketSystems = try takeAll { (reader) throws(WireError) in try reader.takeTicketSystem() }
    snapshot.outbox.isHeld = try takeFlag()
    snapshot.outbox.owed = try take()
    snapshot.outbox.oldest = try takeOptionalTime()
    snapshot.outbox.conflicts = try take()
    snapshot.outbox.open = try takeList(limit: StationLimits.maximumConflicts) { (reader) throws(WireError) in
      try reader.takeConflict()
    }
    snapshot.journal = try takeCondition()
    snapshot.disk = try takeOptional { (reader) throws(WireError) in
      StationSnapshot.Disk(free: try reader.take(), size: try reader.take())
    }
    snapshot.control = try takeOptional { (reader) throws(WireError) in try reader.takeControl() }
    snapshot.fleet = try takeOptional { (reader) throws(WireError) in try reader.takeFleet() }
    snapshot.holder = try takeOptionalName()
    snapshot.isArmed = try takeOptional { (reader) throws(WireError) in try reader.takeFlag() }
    snapshot.counters = try takeCounters()
    snapshot.throughput = try takeThroughput()
    return snapshot
  }

  mutating func takeAll<Value>(_ take: (inout Self) throws(WireError) -> Value) throws(WireError) -> [Value] {
    try takeList(limit: StationLimits.maximumList, take)
  }

  private mutating func takeCondition() throws(WireError) -> StationSnapshot.Condition {
    StationSnapshot.Condition(state: try takeText(), detail: try takeOptionalWords())
  }

  private mutating func takeGate() throws(WireError) -> StationSnapshot.Gate {
    let id = GateID(try takeText())
    let condition = try takeCondition()
    let since = try takeOptionalTime()
    let reason: UndecidedReason? = try takeOptionalWord()
    let isExit = try takeFlag()
    var gate = StationSnapshot.Gate(id: id, condition: condition, ticketSystem: TicketSystemID(try takeText()))
    gate.since = since
    gate.reason = reason
    gate.isExit = isExit
    gate.readers = try takeAll { (reader) throws(WireError) in ReaderID(try reader.takeText()) }
    gate.isDeciding = try takeFlag()
    gate.offline = try takeOptionalWord()
    gate.outputFault = try takeOptionalWords()
    gate.passed = try take()
    gate.isMaintenanceOrdered = try takeFlag()
    gate.event = try takeOptionalName()
    return gate
  }

  private mutating func takeTicketSystem() throws(WireError) -> StationSnapshot.TicketSystem {
    var system = StationSnapshot.TicketSystem(id: TicketSystemID(try takeText()), type: try takeText())
    system.host = try takeOptionalName()
    system.offline = try takeOptionalWord()
    system.offlineSince = try takeOptionalTime()
    system.fault = try takeOptional { (reader) throws(WireError) in
      StationSnapshot.Fault(reason: try reader.takeWord(), detail: try reader.takeWords())
    }
    system.isBeingAsked = try takeFlag()
    system.doubt = try takeOptionalWords()
    system.budget = try takeOptional { (reader) throws(WireError) in
      StationSnapshot.Budget(left: try reader.take(), most: try reader.take())
    }
    system.certificateEnds = try takeOptionalTime()
    system.clockAhead = try takeOptionalDuration()
    system.list = try takeOptional { (reader) throws(WireError) in
      StationSnapshot.List(
        tickets: try reader.takeOptionalNumber(), age: try reader.takeOptionalDuration(),
        mostAge: try reader.takeOptionalDuration(),
        refresh: try reader.takeOptional { (reader) throws(WireError) in try reader.takeCondition() })
    }
    system.owed = try take()
    system.branding = try takeOptional { (reader) throws(WireError) in try reader.takeBranding() }
    system.event = try takeOptionalName()
    system.seats = try takeOptional { (reader) throws(WireError) in try reader.takeSeats() }
    return system
  }

  private mutating func takeControl() throws(WireError) -> StationSnapshot.Control {
    var control = StationSnapshot.Control()
    control.server = try takeOptionalName()
    control.isActivated = try takeFlag()
    control.isConnected = try takeFlag()
    control.isTokenValid = try takeFlag()
    control.isCurrent = try takeFlag()
    control.words = try takeAll { (reader) throws(WireError) in try reader.takeWords() }
    control.board = try takeBoard()
    control.sessionTimeout = try takeOptionalDuration()
    return control
  }
}
