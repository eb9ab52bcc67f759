import Expectations
import FleetBook
import Foundation
import Glibc
import ScanModel
import Testing

@testable import JetStreamClaims

/// What a claim takes on three servers of this machine, beside bare synced writes to the same disk in the same run. A measurement, which
/// proves nothing and is made where it is asked for: `SCANGATE_BENCH=claims scripts/unit --built JetStreamClaims`.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["SCANGATE_BENCH"] == "claims")) struct ClaimBench {
  @Test(arguments: [1, 3]) func claims(_ count: Int) async throws {
    let servers = try await NATSServers(count)
    try await servers.makeBucket()
    let before = resident()
    var settings = servers.settings()
    // What the servers can, and not what one station is bounded to.
    settings.writeRate = 1_000_000
    let store = try JetStreamClaimStore(settings)
    store.start()
    try await store.becomes(.ready)
    print("\(count) servers: \(resident() - before) kB more are resident once it is connected")
    let file = open("\(servers.folder)/bare", O_WRONLY | O_CREAT | O_APPEND | O_SYNC, 0o600)
    defer { close(file) }
    // As long as a claim of one admission with its signature.
    let value = [UInt8](repeating: 7, count: 300)
    let clock = ContinuousClock()
    var (claims, writes): ([Duration], [Duration]) = ([], [])
    for round in 0..<320 {
      let key = freshKey()
      let claim = try await clock.measure { _ = try await store.create(key, value, until: soon()) }
      let write = clock.measure { for _ in 0..<3 { _ = Glibc.write(file, value, value.count) } }
      // The first ones warm up.
      if round >= 20 {
        claims.append(claim)
        writes.append(write)
      }
    }
    let bar = median(writes) + .milliseconds(2)
    print("\(count) servers: a claim \(told(claims)); three bare synced writes \(told(writes));")
    print("  bar (three synced writes + 2 ms) \(milliseconds(bar)) ms: \(median(claims) <= bar ? "held" : "MISSED")")
    let begun = clock.now
    let made = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<32 {
        group.addTask {
          var made = 0
          while clock.now - begun < .seconds(5) {
            if await store.fault(creating: freshKey(), value, until: soon()) == nil { made += 1 }
          }
          return made
        }
      }
      return await group.reduce(0, +)
    }
    print("  32 at once: \(made / 5) claims a second")
    await store.stop()
  }

  /// How long no claim can be had where the leader is gone.
  @Test(arguments: ["is killed", "stands still"]) func leader(_ what: String) async throws {
    let servers = try await NATSServers(3)
    try await servers.makeBucket()
    let clock = ContinuousClock()
    for distance in [0, 1, 1] {
      let leader = try await servers.leader()
      let store = try await servers.store(first: (leader + distance) % 3)
      let begun = clock.now
      if what == "is killed" { servers.kill(leader) } else { servers.pause(leader, true) }
      var longest = Duration.zero
      while true {
        let fault = await measured(&longest) {
          await store.fault(creating: freshKey(), [1], until: SystemTime().now() + .milliseconds(500))
        }
        if fault == nil { break }
        try await Task.sleep(for: .milliseconds(10))
      }
      let place = distance == 0 ? "connected to it" : "connected to another one"
      print("a leader that \(what), \(place): back after \(milliseconds(clock.now - begun)) ms;", terminator: " ")
      print("who asked with 500 ms was answered within \(milliseconds(longest)) ms")
      await store.stop()
      if what == "is killed" { try servers.start(leader) } else { servers.pause(leader, false) }
      try await servers.whole()
    }
  }

  private func measured(_ longest: inout Duration, _ call: () async -> ClaimFault?) async -> ClaimFault? {
    let begun = ContinuousClock.now
    let fault = await call()
    longest = max(longest, ContinuousClock.now - begun)
    return fault
  }

  /// What of this process is in memory, in kB.
  private func resident() -> Int {
    let text = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") }
    return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
  }

  private func median(_ times: [Duration]) -> Duration { times.sorted()[times.count / 2] }

  private func told(_ times: [Duration]) -> String {
    let sorted = times.sorted()
    let points = [sorted[sorted.count / 2], sorted[sorted.count * 9 / 10], sorted[sorted.count - 1]]
    return "p50 \(milliseconds(points[0])), p90 \(milliseconds(points[1])), longest \(milliseconds(points[2])) ms"
  }

  private func milliseconds(_ time: Duration) -> String {
    String(format: "%.2f", Double(time.components.seconds) * 1_000 + Double(time.components.attoseconds) / 1e15)
  }
}
