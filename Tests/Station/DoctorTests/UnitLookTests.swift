import Expectations
import Foundation
import Glibc
import LinuxIO
import ScanConfiguration
import Testing

@testable import Doctor

/// The units of an installed station, and the process that runs without one.
@Suite struct UnitLookTests {
  private func unit(_ change: (inout UnitState) -> Void) -> [UnitState] {
    var unit = UnitState(id: UnitLook.gateway)
    (unit.load, unit.active, unit.sub, unit.file, unit.hasWatchdog) = ("loaded", "active", "running", "enabled", true)
    change(&unit)
    return [unit]
  }

  private func judge(_ units: [UnitState]?, gateway: Int32? = nil, isInstalled: Bool = true) -> [Finding] {
    UnitLook.judge(units, gateway: gateway, isInstalled: isInstalled)
  }

  @Test func whatSystemdSaysIsRead() {
    let units = UnitState.read(
      """
      Id=scangate.service
      LoadState=loaded
      ActiveState=activating
      SubState=auto-restart
      Result=watchdog
      NRestarts=7
      ExecMainStatus=9
      WatchdogUSec=10s
      NeedDaemonReload=yes
      Unheard=of=it

      Id=scangate-outputs.service
      WatchdogUSec=0
      NRestarts=many
      """)
    expectEqual(units.map(\.id), ["scangate.service", "scangate-outputs.service"])
    expect(units[0].restarts == 7 && units[0].result == "watchdog" && units[0].hasWatchdog && units[0].needsReload)
    expect(!units[1].hasWatchdog && units[1].restarts == 0)
    expectEqual(UnitState.read("no words\n\n\n=\n"), [])
  }

  @Test func eachStateOfTheServiceHasItsWordsAndItsCure() {
    expectEqual(judge(unit { _ in }, gateway: 5).severities, [.good])
    let stopped = judge(unit { ($0.active, $0.sub) = ("inactive", "dead") })
    expect(stopped.severities == [.fault] && stopped[0].cure == "sudo systemctl start scangate")
    let wrong = judge(unit { ($0.active, $0.result, $0.status) = ("failed", "exit-code", 78) })
    expect(wrong.severities == [.fault] && wrong[0].cure?.hasPrefix("scangate config check") == true)
    let hung = judge(
      unit { ($0.active, $0.sub, $0.result, $0.restarts) = ("activating", "auto-restart", "watchdog", 4) })
    expect(hung.severities == [.fault] && hung[0].words.contains("watchdog") && hung[0].words.contains("4 times"))
    let again = judge(unit { $0.restarts = 2 }, gateway: 5)
    expect(again.severities == [.warning] && again[0].cure == "journalctl -u scangate -n 50")
    expectEqual(judge(unit { $0.file = "disabled" }, gateway: 5).map(\.cure), ["sudo systemctl enable scangate"])
    expectEqual(judge(unit { $0.hasWatchdog = false }, gateway: 5).severities, [.warning])
    expectEqual(judge(unit { $0.load = "masked" }).severities, [.fault])
  }

  @Test func theHolderHasToRunToo() {
    var holder = UnitState(id: UnitLook.holder)
    (holder.load, holder.active) = ("loaded", "failed")
    let found = judge(unit { _ in } + [holder], gateway: 5)
    expect(found.severities == [.good, .fault] && found[1].place == UnitLook.holder)
  }

  @Test func whoeverShowsTheStationIsLookedAtWhereTheFileHasIt() {
    func face(_ id: String, _ change: (inout UnitState) -> Void = { _ in }) -> UnitState {
      var unit = UnitState(id: id)
      (unit.load, unit.active, unit.file) = ("loaded", "active", "enabled")
      change(&unit)
      return unit
    }
    func judge(_ units: UnitState..., pages: Bool = true) -> [Finding] {
      var console = ConsoleConfiguration(listen: ListenAddress(host: "127.0.0.1", port: 8_088))
      console.hasPages = pages
      return UnitLook.judge(faces: units, console)
    }
    let (console, reports) = (UnitLook.console, UnitLook.reports)
    expectEqual(judge(face(console), face(reports)).severities, [.good, .good])
    // Without pages nobody asks for reports there, and without the section nobody is shown anything.
    expectEqual(judge(face(console), face(reports) { $0.active = "inactive" }, pages: false).severities, [.good])
    expectEqual(UnitLook.judge(faces: [face(console) { $0.active = "failed" }], nil), [])
    expectEqual(UnitLook.judge(faces: nil, ConsoleConfiguration(listen: ListenAddress(host: "::1", port: 1))), [])
    expectEqual(judge(face(console) { $0.load = "not-found" }), [])

    for (change, words, cure) in [
      ({ $0.active = "inactive" }, "does not run", "sudo systemctl enable --now scangate-console.service"),
      (
        { ($0.active, $0.result, $0.status) = ("failed", "exit-code", 78) }, "its program ended with 78",
        "scangate config check && sudo systemctl restart scangate-console"
      ),
      (
        { ($0.active, $0.result) = ("failed", "oom-kill") }, "for want of memory",
        "journalctl -u scangate-console -n 50"
      ),
      (
        { ($0.active, $0.sub, $0.restarts) = ("activating", "auto-restart", 3) }, "3 times",
        "journalctl -u scangate-console -n 50"
      ),
      ({ $0.restarts = 1 }, "once", "journalctl -u scangate-console -n 50"),
      ({ $0.file = "disabled" }, "start with the machine", "sudo systemctl enable scangate-console.service"),
      (
        { $0.load = "masked" }, "masked",
        "sudo systemctl unmask scangate-console.service && sudo systemctl enable --now scangate-console.service"
      ),
    ] as [((inout UnitState) -> Void, String, String)] {
      let found = judge(face(console, change), face(reports))
      expectEqual(found.severities, [.warning, .good])
      expect(found[0].words.contains(words))
      expectEqual(found[0].cure, cure)
    }
    let none = judge(face(console), face(reports) { $0.active = "inactive" })
    expectEqual(none.severities, [.good, .warning])
    expectEqual(none.last?.words, "Who makes reports does not run: no report is made, and no page shows the journal.")
    expectEqual(none.last?.cure, "sudo systemctl enable --now scangate-report.socket")
  }

  @Test func aGatewayWithoutAServiceIsTold() {
    expectEqual(judge(nil, isInstalled: false).severities, [.note])
    expectEqual(judge(nil).severities, [.fault])
    expectEqual(judge(nil, gateway: 77, isInstalled: false).severities, [.good])
    let beside = judge(unit { $0.active = "inactive" }, gateway: 77)
    expect(beside.severities == [.warning] && beside[0].words.contains("77"))
  }

  /// A real program in systemctl's place.
  @Test func systemctlIsAsked() async throws {
    let place = try Place()
    try place.put("/run/systemd/system/x", "")
    try place.put(
      "/usr/bin/systemctl", "#!/bin/sh\necho \"Id=$3\"\necho LoadState=loaded\necho \"SubState=$1\"\n", mode: 0o755)
    let units = try #require(await UnitLook(machine: place.machine).units())
    expect(units.map(\.id) == [UnitLook.gateway] && units[0].sub == "show")
    try place.put("/usr/bin/systemctl", "#!/bin/sh\nexit 1\n", mode: 0o755)
    expect(await UnitLook(machine: place.machine).units() == nil)
    expect(await UnitLook(machine: try Place().machine).units() == nil)
  }

  @Test func aProgramThatHangsOrPrintsWithoutEndIsEnded() throws {
    let time = ContinuousClock.now
    let hung = try SystemProgram.output(of: "/bin/sleep", ["60"], upTo: 100, within: .milliseconds(50))
    expect(hung.status == nil && hung.bytes.isEmpty && ContinuousClock.now - time < .seconds(20))
    let endless = try SystemProgram.output(of: "/bin/cat", ["/dev/zero"], upTo: 1_000, within: .seconds(20))
    expect(endless.status == nil && endless.bytes.count == 1_000)
    let deaf = try SystemProgram.output(
      of: "/bin/sh", ["-c", "exec >&-; sleep 60"], upTo: 100, within: .milliseconds(100))
    expectEqual(deaf.status, nil)
    expectEqual(
      try SystemProgram.output(of: "/bin/sh", ["-c", "echo a; exit 3"], upTo: 9, within: .seconds(20)).status, 3)
    expect(throws: SystemError.self) {
      _ = try SystemProgram.output(of: "/nonexistent", [], upTo: 9, within: .seconds(1))
    }
  }

  /// Whoever waits sleeps until the program ends, and does not look for it again and again.
  @Test func aProgramsEndWakesWhoeverWaits() throws {
    func sleeps() -> Int {
      var usage = rusage()
      // RUSAGE_THREAD, which the module does not tell.
      getrusage(1, &usage)
      return usage.ru_nvcsw
    }
    let before = sleeps()
    let output = try SystemProgram.output(
      of: "/bin/sh", ["-c", "echo a; exec >&-; sleep 0.5; exit 3"], upTo: 9, within: .seconds(20))
    expectEqual(output, SystemProgram.Output(bytes: [0x61, 0x0A], status: 3))
    let count = sleeps() - before
    Expectations.expect(count < 50, "\(count) times")
  }

  /// A real lock, in the kernel's own list.
  @Test func whoHasTheJournalRuns() throws {
    let place = try Place()
    let machine = Machine(service: nil, holder: nil)
    expect(RunningGateway.holder(ofStateFolder: place.state, in: machine) == nil)
    let file = try place.put("/state/journal.sqlite.lock", "\(getpid())\nscangate journal\n")
    expect(RunningGateway.holder(ofStateFolder: place.state, in: machine) == nil)
    let lock = try OwnedDescriptor.open(file, O_RDWR)
    expectEqual(flock(lock.number, LOCK_EX | LOCK_NB), 0)
    expectEqual(RunningGateway.holder(ofStateFolder: place.state, in: machine), getpid())
    expectEqual(flock(lock.number, LOCK_UN), 0)
    expect(RunningGateway.holder(ofStateFolder: place.state, in: machine) == nil)
  }

  @Test func otherLocksAreNoGateway() {
    let locks = """
      1: POSIX  ADVISORY  WRITE 812 b3:02:1312 0 EOF
      2: FLOCK  ADVISORY  WRITE 813 b3:03:1312 0 EOF
      2: -> FLOCK  ADVISORY  WRITE 814 b3:02:1312 0 EOF
      3: FLOCK  ADVISORY  WRITE 815 b3:02:99 0 EOF
      4: FLOCK
      5: FLOCK  ADVISORY  WRITE x y:z:w 0 EOF
      """
    func holder(_ text: String, claim: Int32? = nil) -> Int32? {
      RunningGateway.holder(of: 1312, device: (0xB3, 2), claim: claim, in: text)
    }
    expect(holder(locks) == nil)
    expectEqual(holder(locks, claim: 813), 813)
    expectEqual(holder(locks + "\n6: FLOCK  ADVISORY  WRITE 816 b3:02:1312 0 EOF"), 816)
    expectEqual(holder("6: FLOCK  ADVISORY  WRITE 0 b3:02:1312 0 EOF", claim: 5), 5)
  }

  private func expect<Failure: Error>(throws: Failure.Type, _ body: () throws -> Void) {
    do {
      try body()
      Issue.record("nothing was thrown")
    } catch { Expectations.expect(error is Failure) }
  }

  private func expect(_ holds: Bool) { Expectations.expect(holds) }
}
