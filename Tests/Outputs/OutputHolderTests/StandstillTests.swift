import Expectations
import Glibc
import HolderProtocol
import LinuxIO
import Testing

/// The whole machine stands still: nobody is gone, whoever goes on first.
@Suite(.serialized, .timeLimit(.minutes(2))) struct StandstillTests {
  private let place: Place

  init() throws { place = try Place() }

  /// Both ends of one machine stand still together, for longer than either may be silent.
  private func standStill(_ ends: Child...) async throws {
    for end in ends { end.stop() }
    try await Task.sleep(for: .seconds(1) + HolderLimits.silence)
  }

  /// Whoever comes now is told that there is a gateway already.
  private func expectCommanded(_ holder: Child) async throws {
    let visitor = try PacketSocket(connectingTo: place.socket)
    defer { _ = visitor }
    let line = try await holder.next("process ")
    try #require(line.contains("another gateway"), "\(line)")
  }

  @Test func aMachineThatStoodStillLeavesTheGatewayInCommand() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Child(["command", place.socket, "safe"])
    try await holder.next("commanded by")
    try await gateway.next("ready")
    try await standStill(gateway, holder)
    holder.send(SIGCONT)
    // It has judged by then.
    try await expectCommanded(holder)
    gateway.send(SIGCONT)
    gateway.tell("admit")
    try await gateway.next("started")
    try await holder.next("on relay")
    try await holder.next("off relay")
    expect(!holder.seen.contains { $0.contains("uncommanded") }, "\(holder.seen)")
    expect(!gateway.seen.contains { $0.contains("fault") }, "\(gateway.seen)")
  }

  @Test func aMachineThatStoodStillLeavesTheHolderInCharge() async throws {
    let holder = try place.holder()
    try await holder.next("listening")
    let gateway = try Child(["command", place.socket, "safe"])
    try await holder.next("commanded by")
    try await gateway.next("ready")
    try await standStill(gateway, holder)
    gateway.send(SIGCONT)
    gateway.tell("turn")
    try await gateway.next("turned")
    holder.send(SIGCONT)
    try await expectCommanded(holder)
    gateway.tell("turn")
    try await gateway.next("turned")
    expect(!gateway.seen.contains { $0.contains("fault") }, "\(gateway.seen)")
    expect(!holder.seen.contains { $0.contains("uncommanded") }, "\(holder.seen)")
  }
}
