internal import FleetBook
internal import ScanModel

/// What must hold of a world, whoever made it: it knows of pulses, of claims and of who is in, and of no machine's state.
extension FleetWorld {
  /// What is broken now; `nil` where nothing is.
  func fault() -> String? {
    for code in codes {
      let came = pulses.filter { isOf(code, $0) }
      if let interval = plan.interval {
        // A pulse comes until 10 s after its claim.
        let times = came.filter { !$0.isProvisional }.map(\.at).sorted()
        for (one, next) in zip(times, times.dropFirst()) where next - one < interval - policy.ownFor {
          return "code \(code) was admitted twice within the interval"
        }
      } else {
        let inside = came.count { !$0.hasLeft && !$0.isProvisional }
        if inside > plan.quantity { return "\(inside) are in on code \(code), which admits \(plan.quantity)" }
      }
      if Set(came.map(\.scan)).count != came.count { return "one scan has opened twice" }
    }
    return nil
  }

  /// What is broken once nothing goes wrong any more, and everything has come to its end.
  /// - Parameter keepsGhosts: whether what is on its way with nobody waiting for it still comes.
  func faultInTheEnd(keepsGhosts: Bool) -> String? {
    var world = self
    world.isSettling = true
    world.faultsLeft = 0
    world.stepsLeft = 0
    if !keepsGhosts { world.network.removeAll { $0.isGhost } }
    guard world.settle() else { return "it comes to no end: \(world.summary)" }
    world.now = world.now + .seconds(31)
    guard world.settle() else { return "it comes to no end: \(world.summary)" }
    return world.fault() ?? world.faultInTheBook() ?? world.faultOfTheFree()
  }

  private var codes: [Int] { plan.isSale ? [0] : Array(Set(plan.presentations.map(\.code))).sorted() }

  private func isOf(_ code: Int, _ pulse: Pulse) -> Bool { plan.isSale || pulse.code == code }

  /// Lets everything come that is on its way, and everybody do what they have to.
  mutating func settle() -> Bool {
    for _ in 0..<2_000 {
      if fault() != nil { return true }
      if !network.isEmpty {
        apply(.deliver(0))
      } else if let number = stations.firstIndex(where: { !$0.pending.isEmpty }) {
        apply(.work(number, 0))
      } else if let number = stations.firstIndex(where: { $0.telling == nil && !$0.debts.isEmpty }) {
        apply(.tell(number))
      } else if let number = stations.firstIndex(where: { $0.attempt != nil }) {
        apply(.timeIsUp(number))
      } else {
        return true
      }
      faultsLeft = 0
    }
    return false
  }

  /// What the book says against what people saw.
  private func faultInTheBook() -> String? {
    for (key, row) in table.rows {
      let known = row.value.entries
      if let entry = known.first(where: { $0.state == .claimed }) {
        return "the claim of \(entry.scan) stays as it is for ever: \(summary)"
      }
      if Set(known.map(\.scan)).count != known.count { return "a scan has two entries on one key" }
      for entry in known where entry.isInside {
        if pulses.contains(where: { $0.scan == entry.scan }) || excused.contains(entry.scan) { continue }
        if entry.state == .interrupted && redeemed.contains(entry.scan) { continue }
        return "nobody came in on \(entry.scan), and it is in the book of \(key.kind) as \(entry.state): \(summary)"
      }
    }
    for pulse in pulses {
      let keys = plan.keys(of: pulse.code) + plan.saleDemand.map(\.key)
      for key in keys {
        guard let row = table.rows[key], let entry = row.value.entry(of: pulse.scan), entry.isSettled else {
          return "the book of \(key.kind) was not told of the admission \(pulse.scan): \(summary)"
        }
      }
    }
    return faultOfExits() ?? faultOfConflicts()
  }

  private func faultOfExits() -> String? {
    guard plan.interval == nil, plan.alone == .refuse else { return nil }
    for code in codes where !plan.isSale {
      let entries = table.rows[plan.keys(of: code)[0]]?.value.entries ?? []
      let left = entries.count { $0.hasLeft }
      let gone = pulses.count { isOf(code, $0) && $0.hasLeft }
      if left > gone { return "\(left) have left by the book, and \(gone) did" }
      if left < gone { return "\(gone) have left, and \(left) did by the book: \(summary)" }
    }
    return nil
  }

  private func faultOfConflicts() -> String? {
    guard plan.interval == nil else { return nil }
    for code in codes {
      let inside = pulses.filter { isOf(code, $0) && !$0.hasLeft }
      let key = plan.saleDemand.first?.key ?? plan.keys(of: code)[0]
      // Who was told of as in, and is not for sure, counts as well.
      let booked = table.rows[key]?.value.entries.count { $0.state == .admitted } ?? 0
      guard booked >= inside.count, inside.count > plan.quantity else { continue }
      let named = Set(conflicts.flatMap { [$0.first.scan, $0.second.scan] })
      let untold = inside.filter { !named.contains($0.scan) }
      if untold.count > Int(plan.quantity) - 1 || named.isEmpty {
        return "\(inside.count) are in on a ticket for \(plan.quantity), and no conflict says so: \(summary)"
      }
    }
    return nil
  }

  /// Whether whoever has a ticket that nobody used comes in, wherever they go.
  private func faultOfTheFree() -> String? {
    for code in codes {
      let keys = plan.keys(of: code) + plan.saleDemand.map(\.key)
      guard keys.allSatisfy({ (table.rows[$0]?.value.occupied ?? 0) == 0 }), plan.interval == nil else { continue }
      if pulses.contains(where: { isOf(code, $0) && !$0.hasLeft }) {
        return "somebody is in, and the book has the place free: \(summary)"
      }
      for number in stations.indices {
        var world = self
        world.come(.enter(number, code), plan.presentations.count)
        guard world.settle() else { return "a free ticket comes to no end" }
        guard case .admit? = world.verdict else {
          return "a ticket that nobody used is refused at \(number): \(String(describing: world.verdict)), \(summary)"
        }
        if let fault = world.fault() { return fault }
      }
    }
    return nil
  }

  /// For a failure's reader.
  var summary: String {
    let book = table.rows.map { key, row in
      "\(key.kind) "
        + row.value.entries.map { "\($0.scan.description.suffix(3))@\($0.station)=\($0.state)" }.joined(separator: " ")
    }
    let owed = stations.map { station in
      "\(station.id): "
        + station.debts.map { "\($0.entry.scan.description.suffix(3)) \($0.goal)" }.joined(separator: ", ")
    }
    return
      "book [\(book.sorted().joined(separator: "; "))], pulses \(pulses.map { $0.scan.description.suffix(3) }), owed \(owed)"
  }
}
