internal import ScanModel

// What ledgers remember, as JSON. The form is the compiler's own for `Codable`, which reads it: written by hand because it is written
// several times a scan, and a coder that learns each type at run time takes longer than all else that the gateway does for it. A test
// holds both forms together.

extension LedgerMemory {
  /// The memory alone.
  package var json: [UInt8] {
    var json = JSONBytes()
    write(to: &json)
    return json.bytes
  }

  /// The memory with the start of the machine whose monotonic times it holds.
  package func json(boot: String) -> [UInt8] {
    var json = JSONBytes()
    json.object { json in
      json.name("boot")
      json.text(boot)
      json.name("memory")
      write(to: &json)
    }
    return json.bytes
  }

  private func write(to json: inout JSONBytes) {
    func one(_ name: StaticString, _ body: (inout JSONBytes) -> Void) {
      json.object { json in
        json.name(name)
        json.object { json in
          json.name("_0")
          json.object(body)
        }
      }
    }
    switch self {
    case .ticket(let memory): one("ticket") { memory.write(to: &$0) }
    case .sale(let memory): one("sale") { memory.write(to: &$0) }
    case .entry(let memory): one("entry") { memory.write(to: &$0) }
    case .folded(let memory): one("folded") { memory.write(to: &$0) }
    }
  }
}

extension JSONBytes {
  fileprivate mutating func add(_ name: StaticString, _ value: String?) {
    guard let value else { return }
    self.name(name)
    text(value)
  }

  fileprivate mutating func add(_ name: StaticString, _ value: Int?) {
    guard let value else { return }
    self.name(name)
    number(Int64(value))
  }

  fileprivate mutating func add(_ name: StaticString, _ value: Bool?) {
    guard let value else { return }
    self.name(name)
    truth(value)
  }

  fileprivate mutating func add(_ name: StaticString, _ value: MonotonicTime?) {
    guard let value else { return }
    self.name(name)
    number(value.nanoseconds)
  }

  fileprivate mutating func add(_ name: StaticString, _ value: WallTime?) {
    guard let value else { return }
    self.name(name)
    number(value.nanoseconds)
  }

  fileprivate mutating func add(_ name: StaticString, _ value: AttemptID?) { add(name, value?.description) }

  fileprivate mutating func add(_ name: StaticString, _ value: TicketKey?) {
    guard let value else { return }
    self.name(name)
    array { json in
      for byte in value.bytes { json.number(UInt64(byte)) }
    }
  }

  fileprivate mutating func add(_ name: StaticString, _ body: ((inout JSONBytes) -> Void)?) {
    guard let body else { return }
    self.name(name)
    object(body)
  }

  fileprivate mutating func add<Element>(
    _ name: StaticString, _ values: [Element]?, _ body: (Element, inout JSONBytes) -> Void
  ) {
    guard let values else { return }
    self.name(name)
    array { json in
      for value in values { json.object { body(value, &$0) } }
    }
  }

  fileprivate mutating func add(_ name: StaticString, _ value: FirstUse?) { add(name, value.map { $0.write(to:) }) }

  fileprivate mutating func add(_ name: StaticString, _ value: AttemptLock?) { add(name, value.map { $0.write(to:) }) }

  fileprivate mutating func add(_ name: StaticString, _ value: Duration) {
    self.name(name)
    array { json in
      // Two halves of 128 bits, as the standard library has them.
      let value = value.attoseconds
      json.number(Int64(truncatingIfNeeded: value >> 64))
      json.number(UInt64(truncatingIfNeeded: value))
    }
  }
}

extension TicketMemory {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("kind", kind.rawValue)
    json.add("admitted", admitted)
    json.add("quantity", quantity)
    json.add("sale", sale)
    json.add("last", last.map { $0.write(to:) })
    json.add("givenBack") { json in
      json.add("until", givenBack.until)
      json.add("isOpen", givenBack.isOpen)
    }
    json.name("entries")
    json.object { json in
      for (id, entry) in entries {
        json.name(id)
        json.object(entry.write)
      }
    }
    json.add("open", open) { $0.write(to: &$1) }
    json.add("isUsedElsewhere", isUsedElsewhere)
    json.add("firstUse", firstUse)
    json.add("owed", owed) { $0.write(to: &$1) }
    json.add("listed", listed)
    json.add("folded", folded)
    json.add("ends", ends)
    json.add("earlier", earlier) { $0.write(to: &$1) }
    json.add("spaced", spaced.map { $0.write(to:) })
  }
}

extension SaleMemory {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("admitted", admitted)
    json.add("interrupted", interrupted)
    json.add("quantity", quantity)
    json.add("firstUse", firstUse)
    json.add("owed", owed)
    json.add("isListed", isListed)
  }
}

extension EntryMemory {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("key", key)
    json.add("firstUse", firstUse)
  }
}

extension FoldedMemory {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("spellings", spellings) { spelling, json in
      json.add("key", spelling.key)
      json.add("admitted", spelling.admitted)
      json.add("owed", spelling.owed)
      json.add("sale", spelling.sale)
      json.add("hasEntry", spelling.hasEntry)
      json.add("isEntry", spelling.isEntry)
      json.add("firstUse", spelling.firstUse)
      json.add("spaced", spelling.spaced.map { $0.write(to:) })
    }
  }
}

extension FirstUse {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("gate", gate?.name)
    json.add("at", at)
    json.add("request", request)
  }
}

extension SpacedAdmission {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("at", at)
    json.add("use", use)
    json.add("isTrusted", isTrusted)
    json.add("isSure", isSure)
  }
}

extension AttemptLock {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("attempt", attempt)
    json.add("gate", gate.name)
    json.add("began", began)
    json.add("wall", wall)
  }
}

extension LastAdmission {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("attempt", attempt)
    json.add("entryID", entryID)
    json.add("wasFirst", wasFirst)
    json.add("isProvisional", isProvisional)
  }
}

extension KnownEntry {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("origin", origin.rawValue)
    json.add("isClaimed", isClaimed)
    json.add("claimUntil", claimUntil)
    json.add("isGivenBack", isGivenBack)
    json.add("hasLeft", hasLeft)
    json.add("isBarred", isBarred)
    json.add("isDoubtful", isDoubtful)
    json.add("shownTo", shownTo)
    json.add("offsets", offsets.map { $0.write(to:) })
  }
}

extension OpenAttempt {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("lock", lock)
    json.add("sentAt", sentAt)
    json.add("endedAt", endedAt)
    json.add("standing", standing.write)
    json.add("owed", owed)
    json.add("offsets", offsets.map { $0.write(to:) })
    json.add("wasRefused", wasRefused)
  }
}

extension OpenAttempt.Standing {
  fileprivate func write(to json: inout JSONBytes) {
    switch self {
    case .pending: json.add("pending") { _ in }
    case .lost: json.add("lost") { _ in }
    case .refused: json.add("refused") { _ in }
    case .ahead(let entryID): json.add("ahead") { $0.add("entryID", entryID) }
    case .unplaced: json.add("unplaced") { _ in }
    case .interrupted: json.add("interrupted") { _ in }
    }
  }
}

extension Owed {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("attempt", attempt)
    json.add("gate", gate.name)
    json.add("wall", wall)
    json.add("telling", telling)
    json.add("hasLeft", hasLeft)
  }
}

extension FreshOffsets {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("least", least)
    json.add("most", most)
  }
}

extension JudgedOffsets {
  fileprivate func write(to json: inout JSONBytes) {
    json.add("asked", asked.write)
    json.add("lost", lost) { $0.write(to: &$1) }
    json.add("lostSince", lostSince)
  }
}
