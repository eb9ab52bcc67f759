internal import ScanModel
internal import WireCoding

extension WireWriter {
  mutating func put(_ counters: StationCounters) {
    putList(counters.scans) { writer, scans in
      writer.put(scans.gate.name, scans.verdict)
      writer.putName(scans.reason)
      writer.put(scans.decider.rawValue, scans.count)
    }
    putList(counters.decisions) { writer, decisions in
      writer.put(decisions.gate.name)
      writer.put(decisions.times)
    }
    putList(counters.requests) { writer, requests in
      writer.put(requests.system.name)
      writer.put(requests.times)
    }
    putList(counters.repeats) { $0.put($1.gate.name, $1.count) }
    putList(counters.orders) { $0.put($1.kind.rawValue, $1.outcome, $1.count) }
    put(counters.conflicts, counters.eventsDropped, counters.listeners)
    put(counters.kioskRequests)
    put(counters.kioskActivations)
    put(counters.kioskChanges)
  }

  private mutating func put(_ calls: [StationCounters.Calls]) {
    putList(calls) { $0.put($1.name, $1.result, $1.count) }
  }

  private mutating func put(_ times: StationCounters.Histogram) {
    for bucket in times.buckets { put(bucket) }
    put(times.sum)
  }
}

extension WireReader {
  mutating func takeCounters() throws(WireError) -> StationCounters {
    var counters = StationCounters()
    counters.scans = try takeAll { (reader) throws(WireError) in
      StationCounters.Scans(
        gate: GateID(try reader.takeText()), verdict: try reader.takeText(), reason: try reader.takeOptionalName(),
        decider: try reader.takeWord(), count: try reader.take())
    }
    counters.decisions = try takeAll { (reader) throws(WireError) in
      StationCounters.GateTimes(gate: GateID(try reader.takeText()), times: try reader.takeTimes())
    }
    counters.requests = try takeAll { (reader) throws(WireError) in
      StationCounters.SystemTimes(system: TicketSystemID(try reader.takeText()), times: try reader.takeTimes())
    }
    counters.repeats = try takeAll { (reader) throws(WireError) in
      StationCounters.GateCount(gate: GateID(try reader.takeText()), count: try reader.take())
    }
    counters.orders = try takeAll { (reader) throws(WireError) in
      StationCounters.Orders(kind: try reader.takeWord(), outcome: try reader.takeText(), count: try reader.take())
    }
    counters.conflicts = try take()
    counters.eventsDropped = try take()
    counters.listeners = try take()
    counters.kioskRequests = try takeCalls()
    counters.kioskActivations = try takeCalls()
    counters.kioskChanges = try take()
    return counters
  }

  private mutating func takeCalls() throws(WireError) -> [StationCounters.Calls] {
    try takeAll { (reader) throws(WireError) in
      StationCounters.Calls(name: try reader.takeText(), result: try reader.takeText(), count: try reader.take())
    }
  }

  private mutating func takeTimes() throws(WireError) -> StationCounters.Histogram {
    var buckets: [UInt64] = []
    for _ in 0...StationCounters.Histogram.bounds.count { buckets.append(try take()) }
    guard let times = StationCounters.Histogram(buckets: buckets, sum: try takeDuration()) else {
      throw WireError("times without their buckets")
    }
    return times
  }
}
