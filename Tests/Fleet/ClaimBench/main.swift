import FleetBook
import FleetSetUp
import Glibc
import JetStreamClaims
import LibCrypto
import LinuxIO
import ScanModel

// What claims take on a fleet's servers, by its folder; Benchmarks/fleet starts the servers and says what the figures mean.
//
//   claim-bench claims FOLDER FILE   claims one after the other, after each three bare synced writes to the file; such writes while somebody claims;
//                                    then both at the pace of people, and claims 32 at once
//   claim-bench fill FOLDER COUNT    so many tickets, each claimed and then told as admitted, as quickly as can be
//   claim-bench without FOLDER       claims without a pause, until its input ends: for how long none could be had

/// What a station writes of one ticket: its claim, and then that somebody was admitted on it. One is signed; of the others scan, revision and signature are
/// by chance, for servers look at none of them.
private struct Written {
  private var bytes: [UInt8]
  private var scan: Int

  init(_ entry: ClaimEntry) {
    guard let station = StationID("north"), let key = ClaimKey(.ticket, digest: entry.scan.bytes),
      let bytes = ClaimSeal(fleet: "fair-2026", station: station, key: Ed25519.PrivateKey(), stations: [:])
        .seal(Claim(quantity: 1, entries: [entry]), for: key, replacing: .none),
      let scan = bytes.indices.first(where: { bytes[$0...].starts(with: entry.scan.bytes) })
    else { fail("no claim can be signed") }
    (self.bytes, self.scan) = (bytes, scan)
  }

  func value(_ scan: ScanID, replacing revision: ClaimRevision = .none) -> [UInt8] {
    var value = bytes
    withUnsafeBytes(of: revision.number.littleEndian) { value.replaceSubrange(1..<9, with: $0) }
    value.replaceSubrange(self.scan..<self.scan + 16, with: scan.bytes)
    for place in value.indices.suffix(Ed25519.signatureLength) { value[place] = .random(in: .min ... .max) }
    return value
  }
}

private func entry(_ state: ClaimEntry.State, at time: WallTime? = nil) -> ClaimEntry {
  guard let station = StationID("north") else { fail("no station") }
  return ClaimEntry(
    scan: ScanID(), station: station, gate: GateID("door-1"), state: state, mayHaveRedeemed: true, at: time)
}

private let claimed = Written(entry(.claimed))
private let admitted = Written(entry(.admitted, at: SystemTime().wall()))
private let clock = ContinuousClock()

/// Says something at once, to whoever waits for it.
private func say(_ words: Any..., to file: Int32 = STDOUT_FILENO) {
  let line = Array((words.map { "\($0)" }.joined(separator: " ") + "\n").utf8)
  _ = Glibc.write(file, line, line.count)
}

private func fail(_ words: String) -> Never {
  say("claim-bench:", words, to: STDERR_FILENO)
  exit(1)
}

private func milliseconds(_ time: Duration) -> Double {
  Double(time.components.seconds) * 1_000 + Double(time.components.attoseconds) / 1e15
}

/// p50, p90, and the longest.
private func told(_ name: String, _ times: [Duration]) {
  let sorted = times.sorted()
  let places = [sorted.count / 2, sorted.count * 9 / 10, sorted.count - 1]
  say(name, places.map { "\(milliseconds(sorted[$0]))" }.joined(separator: " "))
}

/// A key that nobody has written.
private func freshKey() -> ClaimKey { ClaimKey(.ticket, digest: ScanID().bytes) ?? freshKey() }

/// Whether a claim was made in so many milliseconds.
private func claim(_ store: JetStreamClaimStore, within most: Int = 5_000) async -> Bool {
  do throws(ClaimFault) {
    _ = try await store.create(freshKey(), claimed.value(ScanID()), until: SystemTime().now() + .milliseconds(most))
    return true
  } catch { return false }
}

/// Whether a ticket was claimed, and told as admitted.
private func admit(_ store: JetStreamClaimStore) async -> Bool {
  let (key, scan) = (freshKey(), ScanID())
  do throws(ClaimFault) {
    let revision = try await store.create(key, claimed.value(scan), until: SystemTime().now() + .seconds(5))
    let value = admitted.value(scan, replacing: revision)
    _ = try await store.update(key, value, at: revision, until: SystemTime().now() + .seconds(5))
    return true
  } catch { return false }
}

/// So many at one time, until there are `count` or `most` has passed; how many were made.
private func atOnce(
  _ workers: Int, count: Int, within most: Duration, _ make: @escaping @Sendable () async -> Bool
) async -> Int {
  let begun = clock.now
  return await withTaskGroup(of: Int.self) { group in
    for _ in 0..<workers {
      group.addTask {
        var made = 0
        while made < count / workers, clock.now - begun < most {
          if await make() { made += 1 }
        }
        return made
      }
    }
    return await group.reduce(0, +)
  }
}

private func claims(_ store: JetStreamClaimStore, _ path: String) async {
  let value = claimed.value(ScanID())
  let file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_SYNC, 0o600)
  guard file >= 0 else { fail("\(path) cannot be written") }
  defer { close(file) }
  var (made, written): ([Duration], [Duration]) = ([], [])
  for round in 0..<320 {
    var isMade = false
    let took = await clock.measure { isMade = await claim(store) }
    guard isMade else { fail("a claim was not made") }
    let write = clock.measure { for _ in 0..<3 { _ = Glibc.write(file, value, value.count) } }
    // The first ones warm up.
    if round >= 20 {
      made.append(took)
      written.append(write)
    }
  }
  told("claim", made)
  told("writes", written)
  // The same writes while somebody claims: on one disk each sync waits for the servers'.
  let claiming = Task {
    while !Task.isCancelled { _ = await claim(store) }
  }
  var beside: [Duration] = []
  for _ in 0..<100 {
    beside.append(clock.measure { for _ in 0..<3 { _ = Glibc.write(file, value, value.count) } })
    try? await Task.sleep(for: .milliseconds(5))
  }
  claiming.cancel()
  await claiming.value
  told("beside", beside)
  // Nothing is warm where somebody comes now and then: processors sleep, and so do the servers.
  (made, written) = ([], [])
  for _ in 0..<100 {
    try? await Task.sleep(for: .milliseconds(30))
    var isMade = false
    made.append(await clock.measure { isMade = await claim(store) })
    guard isMade else { fail("a claim was not made") }
    try? await Task.sleep(for: .milliseconds(30))
    written.append(clock.measure { for _ in 0..<3 { _ = Glibc.write(file, value, value.count) } })
  }
  told("calm", made)
  told("calmWrites", written)
  say("rate", await atOnce(32, count: 1_000_000, within: .seconds(5)) { await claim(store) } / 5)
}

private func without(_ store: JetStreamClaimStore) async {
  Task.detached {
    while getchar() != EOF {}
    exit(0)
  }
  var (since, longest): (ContinuousClock.Instant?, Duration) = (nil, .zero)
  while true {
    let begun = clock.now
    let isMade = await claim(store, within: 500)
    longest = max(longest, clock.now - begun)
    if !isMade {
      since = since ?? begun
    } else if let away = since {
      say("without", milliseconds(clock.now - away), milliseconds(longest))
      (since, longest) = (nil, .zero)
    }
    try? await Task.sleep(for: .milliseconds(10))
  }
}

let words = CommandLine.arguments
guard words.count >= 3 else { fail("see Benchmarks/fleet") }
let store: JetStreamClaimStore
do {
  let folder = FleetFolder(words[2])
  var settings = try folder.settings(folder.layout())
  // What servers can, and not what one station is bounded to.
  settings.writeRate = 1_000_000
  store = try JetStreamClaimStore(settings)
} catch { fail("\(error)") }
store.start()
for await state in store.states where state == .ready { break }
switch (words[1], words.dropFirst(3).first) {
case ("claims", let path?): await claims(store, path)
case ("fill", let count?):
  let begun = clock.now
  let made = await atOnce(64, count: Int(count) ?? 0, within: .seconds(3_600)) { await admit(store) }
  say("filled", made, milliseconds(clock.now - begun))
case ("without", nil):
  say("ready")
  await without(store)
default: fail("see Benchmarks/fleet")
}
await store.stop()
