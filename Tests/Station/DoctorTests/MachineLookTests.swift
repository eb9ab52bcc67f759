import Expectations
import Foundation
import Glibc
import LinuxIO
import ScanModel
import Sealing
import Testing

@testable import Doctor

/// What a machine's own files say: rights, udev's rules, the disk, the board.
@Suite struct MachineLookTests {
  private let user = UserAccount(name: "scangate", id: 990, groups: [990])
  private func file(_ path: String, _ owner: UInt32, _ group: UInt32, _ mode: UInt32) -> PermissionLook.File {
    PermissionLook.File(path: path, access: NodeAccess(owner: owner, group: group, mode: mode))
  }

  @Test func aRuleThatIsMissingOrMaskedIsNamed() throws {
    let place = try Place()
    let missing = UdevLook(machine: place.machine).findings()
    expectEqual(missing.map(\.place), ["70-scangate.rules", "70-scangate-scanners.hwdb"])
    expect(missing.allSatisfy { $0.severity == .warning && $0.cure?.contains("udevadm trigger") == true })
    try place.put("/usr/lib/udev/rules.d/70-scangate.rules", "# rules\n")
    try place.put("/usr/lib/udev/hwdb.d/70-scangate-scanners.hwdb", "# scanners\n")
    expectEqual(UdevLook(machine: place.machine).findings().severities, [.good, .good])
    // An administrator's own file counts first, and one that leads nowhere switches the rule off (udev(7)).
    try FileManager.default.createDirectory(atPath: place.path + "/etc/udev/rules.d", withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: place.path + "/etc/udev/rules.d/70-scangate.rules", withDestinationPath: "/dev/null")
    let masked = UdevLook(machine: place.machine).findings()
    expect(masked.severities == [.warning, .good] && masked[0].place == "/etc/udev/rules.d/70-scangate.rules")
    expectEqual(masked[0].cure?.hasPrefix("sudo rm /etc/udev/rules.d/70-scangate.rules"), true)
  }

  @Test func whatTheServiceCannotReadStopsIt() {
    let good = PermissionLook.judge(
      configuration: file("a.yaml", 0, 0, 0o644), secrets: [file("k", 990, 990, 0o400)],
      others: [file("ca", 0, 990, 0o640)], service: user)
    expectEqual(good, [])
    let bad = PermissionLook.judge(
      configuration: file("a.yaml", 0, 0, 0o600), secrets: [file("k", 0, 0, 0o600)],
      others: [file("ca", 990, 0, 0o044)],
      service: user)
    expectEqual(
      bad.map(\.cure),
      ["sudo chmod 644 a.yaml", "sudo chown scangate: k && sudo chmod 400 k", "sudo chmod 644 ca"])
    expect(bad.allSatisfy { $0.severity == .fault && $0.area == .permissions })
    // For whoever runs it by hand, opening them says it.
    expectEqual(PermissionLook.judge(configuration: file("a", 0, 0, 0), secrets: [], others: [], service: nil), [])
  }

  @Test func theStateFolderIsItsOwnersAlone() throws {
    let place = try Place()
    func look() -> [Finding] {
      PermissionLook.judge(state: PermissionLook.look(place.state), within: [], service: nil)
    }
    expectEqual(look().severities, [.good])
    chmod(place.state, 0o750)
    expect(look().severities == [.warning] && look()[0].cure == "sudo chmod 700 \(place.state)")
    let foreign = PermissionLook.judge(
      state: file("/s", 990, 990, 0o700),
      within: [file("/s/journal.sqlite", 990, 990, 0o600), file("/s/seal-key", 0, 0, 0o600)], service: user)
    expect(foreign.severities == [.fault] && foreign[0].place == "/s/seal-key")
    expectEqual(foreign[0].cure, "sudo chown -R scangate:scangate /s")
    expectEqual(PermissionLook.judge(state: .init(path: "/none"), within: [], service: user).severities, [.note])
  }

  @Test func aCredentialThatIsNotThereIsNamedWithItsPlace() throws {
    let place = try Place()
    let look = PermissionLook(machine: place.machine, keys: place.keys, file: "station.yaml", isInstalled: false)
    let missing = look.findings(try place.station()).filter { $0.severity == .fault }
    expect(missing.count == 1 && missing[0].place.hasPrefix("station.yaml:4:"), "\(missing)")
    expectEqual(missing[0].cure?.hasPrefix("sudo scangate credential set main"), true)
    try CredentialStore(keys: place.keys).set("main", try PastedSecret([UInt8]("a-key-of-some-length".utf8)))
    expectEqual(look.findings(try place.station()).filter { $0.severity == .fault }, [])
  }

  @Test func aKeyThatIsGoneKeepsTheServiceFromStarting() throws {
    let place = try Place()
    try CredentialStore(keys: place.keys).set("main", try PastedSecret([UInt8]("a-key-of-some-length".utf8)))
    try FileManager.default.removeItem(atPath: place.state + "/seal-key")
    let look = PermissionLook(machine: place.machine, keys: place.keys, file: "station.yaml", isInstalled: false)
    let faults = look.findings(try place.station()).filter { $0.severity == .fault }
    expect(
      faults.count == 1 && faults[0].place == place.state && faults[0].cure?.contains("docs/backup.md") == true,
      "\(faults)")
  }

  @Test func aDiskThatFillsUpIsToldBeforeItIsFull() {
    func judge(_ free: UInt64, files: UInt64? = 1_000, isReadOnly: Bool = false, stops: Bool = false) -> Finding
      .Severity?
    {
      DiskLook.judge(
        .init(free: free, size: 8_000_000_000, files: files, isReadOnly: isReadOnly), of: "/s", stopsGates: stops
      ).first?.severity
    }
    expectEqual(judge(4_000_000_000), .good)
    expectEqual(judge(200_000_000), .warning)
    expectEqual(judge(1_000_000), .warning)
    // Where gates stop without a journal.
    expectEqual(judge(1_000_000, stops: true), .fault)
    expectEqual(judge(4_000_000_000, files: 3, stops: true), .fault)
    expectEqual(judge(4_000_000_000, isReadOnly: true, stops: true), .fault)
    expectEqual(judge(.max), .good)
    expectEqual(DiskLook.findings("/nonexistent/folder/of/nobody", nil).count, 1)
  }

  @Test func aBoardWithoutEnoughPowerSaysSo() throws {
    let place = try Place()
    expectEqual(BoardLook(machine: place.machine).findings(), [])
    try place.put("/proc/device-tree/model", "Raspberry Pi 4 Model B Rev 1.4\0")
    try place.put("/sys/class/hwmon/hwmon1/name", "cpu_thermal\n")
    try place.put("/sys/class/hwmon/hwmon2/name", "rpi_volt\n")
    try place.put("/sys/class/hwmon/hwmon2/in0_lcrit_alarm", "0\n")
    try place.put("/sys/class/thermal/thermal_zone0/type", "cpu-thermal\n")
    try place.put("/sys/class/thermal/thermal_zone0/temp", "48312\n")
    let good = BoardLook(machine: place.machine).findings()
    expect(good.severities == [.good] && good[0].words.contains("48 °C"), "\(good)")
    try place.put("/sys/class/hwmon/hwmon2/in0_lcrit_alarm", "1\n")
    try place.put("/sys/class/thermal/thermal_zone0/temp", "84900\n")
    expectEqual(BoardLook(machine: place.machine).findings().severities, [.warning, .warning])
    try place.put("/sys/class/hwmon/hwmon2/in0_lcrit_alarm", "0\n")
    try place.put("/sys/devices/platform/soc/soc:firmware/get_throttled", "50000\n")
    try place.put("/sys/class/thermal/thermal_zone0/temp", "hot\n")
    let once = BoardLook(machine: place.machine).findings()
    expect(once.severities == [.warning] && once[0].words.contains("was too weak"), "\(once)")
    try place.put("/proc/device-tree/model", "Some other board\0")
    expectEqual(BoardLook(machine: place.machine).findings(), [])
  }

  @Test func aLookThatHangsIsLeftBehindAndNamed() async {
    let (never, _) = AsyncStream.makeStream(of: Void.self)
    let look = Look(
      .journal, "journal",
      asking: {
        for await _ in never {}
        return []
      })
    let found = await look.findings(within: .milliseconds(20))
    expect(found.severities == [.warning] && found[0].place == "journal")
    await expectEqual(
      Look(.clock, "clock") { [Finding(.good, .clock, "clock", "x")] }.findings(within: .seconds(20)).count, 1)
  }
}
