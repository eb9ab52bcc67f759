import Expectations
import Foundation
import LinuxIO
import ScanModel
import ScanTesting
import Testing

@testable import Console

/// Users and door screens of a test's own folder.
struct AccessBench {
  let folder: String
  let time: ManualTime
  let access: PageAccess

  init(_ folder: String, time: ManualTime = ManualTime()) {
    (self.folder, self.time) = (folder, time)
    access = PageAccess(folder: folder, stateFolder: folder, time: time, logger: silentLogger)
  }

  /// Lets somebody sign in, or changes them.
  func set(_ name: String, _ password: String, _ role: PageRole = .attendant) throws {
    let hash = try #require(PasswordHash(of: password, cost: cheapCost))
    try AccessFile.change(AccessFile.users(in: folder), upTo: PageUsers.longest) { bytes in
      var users = try bytes.map { try PageUsers($0) } ?? PageUsers()
      _ = users.set(PageUser(name: name, role: role, hash: hash))
      return [UInt8](users.text.utf8)
    }
  }

  func remove(_ name: String) throws {
    try AccessFile.change(AccessFile.users(in: folder), upTo: PageUsers.longest) { bytes in
      var users = try PageUsers(bytes ?? [])
      expect(users.remove(name))
      return [UInt8](users.text.utf8)
    }
  }

  /// Lets a screen be set up.
  func add(_ name: String, gate: String) throws -> String {
    let (device, code) = PageDevice.new(name, gate: gate, at: time.wall())
    try AccessFile.change(AccessFile.devices(in: folder), upTo: PageDevices.longest) { bytes in
      var devices = try bytes.map { try PageDevices($0) } ?? PageDevices()
      expect(devices.add(device))
      return [UInt8](devices.text.utf8)
    }
    return code.text
  }

  func revoke(_ name: String) throws {
    try AccessFile.change(AccessFile.devices(in: folder), upTo: PageDevices.longest) { bytes in
      var devices = try PageDevices(bytes ?? [])
      expect(devices.remove(name))
      return [UInt8](devices.text.utf8)
    }
  }

  func signIn(_ name: String, _ password: String, from address: String = "10.0.0.1") async -> PageAccess.SignIn {
    await access.signIn(name, password: password, client: .address(address), address: address)
  }

  /// Signs somebody in.
  func session(_ name: String, _ password: String, from address: String = "10.0.0.1") async throws -> String {
    guard case .done(let secret) = await signIn(name, password, from: address) else {
      throw ConsoleFault("\(name) could not sign in")
    }
    return secret
  }

  func caller(_ secret: String, isUse: Bool = true) -> PageCaller? { access.caller(session: secret, isUse: isUse) }
}

@Suite struct PageAccessTests {
  private static let password = "correct horse"

  private func withBench(_ body: (AccessBench) async throws -> Void) async throws {
    try await withFolder { folder in
      let bench = AccessBench(folder)
      try bench.set("anna", Self.password)
      try bench.set("tom", "battery staple", .technician)
      try await body(bench)
    }
  }

  @Test func whoSignsInIsKnown() async throws {
    try await withBench { bench in
      let secret = try await bench.session(" Anna", Self.password)
      let caller = try #require(bench.caller(secret))
      expectEqual(caller.name, "anna")
      expectEqual(caller.role, .attendant)
      expect(bench.access.isCurrent(caller))
      for wrong in ["", "x", secret.uppercased(), String(secret.dropLast()) + "g", PageSecret.new(), secret + "0"] {
        expect(bench.caller(wrong) == nil)
      }
      let other = try await bench.session("tom", "battery staple")
      expectEqual(bench.caller(other)?.role, .technician)
      expect(other != secret)
    }
  }

  /// What an attempt costs does not tell whether there is such a user: each is one hash.
  @Test func unknownUsersCostWhatKnownOnesCost() async throws {
    try await withBench { bench in
      let names = ["anna", "nobody", "", "<script>", String(repeating: "x", count: 10_000), "anna:attendant"]
      for (index, name) in names.enumerated() {
        expectEqual(await bench.signIn(name, "wrong password", from: "10.0.0.\(index)"), .wrong, "\(name.prefix(20))")
        expectEqual(bench.access.hashes.all, index + 1)
      }
      expectEqual(await bench.signIn("anna", "wrong password", from: "10.0.0.0"), .wait(seconds: 1))
      expectEqual(await bench.signIn("anna", "wrong password", from: "10.0.0.1"), .wait(seconds: 1))
      // Who waits costs nothing.
      expectEqual(bench.access.hashes.all, names.count)
    }
  }

  @Test func bruteForceFromTwoAddressesHindersNobodyWithASession() async throws {
    try await withBench { bench in
      let secret = try await bench.session("anna", Self.password)
      for _ in 0..<20 {
        for address in ["10.0.0.1", "10.0.0.2"] { _ = await bench.signIn("tom", "guess", from: address) }
        bench.time.advance(by: .seconds(5))
      }
      expect(bench.caller(secret) != nil)
      guard case .wait = await bench.signIn("tom", "battery staple", from: "10.0.0.1") else {
        return expect(false, "it does not wait")
      }
      _ = try await bench.session("tom", "battery staple", from: "10.0.0.3")
      // Who is known already waits for nobody at its address.
      guard
        case .done = await bench.access.signIn(
          "anna", password: Self.password, client: .user("anna"), address: "10.0.0.1")
      else { return expect(false, "it is hindered") }
    }
  }

  @Test func aHundredAnHourAndTheAccountIsShutWhetherItIsThereOrNot() async throws {
    try await withBench { bench in
      for name in ["tom", "nobody"] {
        for number in 0..<SignInWaits.mostFailures {
          expectEqual(await bench.signIn(name, "guess", from: "\(name)\(number)"), .wrong)
        }
        let hashes = bench.access.hashes.all
        expectEqual(await bench.signIn(name, "battery staple", from: "\(name)-new"), .shut(seconds: 3_600))
        expectEqual(bench.access.hashes.all, hashes)
      }
      _ = try await bench.session("anna", Self.password)
      // Staff can help themselves.
      try bench.set("tom", "another staple", .technician)
      _ = try await bench.session("tom", "another staple", from: "new")
    }
  }

  @Test func changesOfAUserEndItsSessionsAtOnce() async throws {
    try await withBench { bench in
      let (anna, tom) = (
        try await bench.session("anna", Self.password), try await bench.session("tom", "battery staple")
      )
      let caller = try #require(bench.caller(anna))
      // The same password again is another one.
      try bench.set("anna", Self.password)
      expect(!bench.access.isCurrent(caller) && bench.caller(anna) == nil)
      expect(bench.caller(tom) != nil)
      try bench.set("tom", "battery staple", .organiser)
      expect(bench.caller(tom) == nil)
      let again = try await bench.session("anna", Self.password)
      try bench.remove("anna")
      expect(bench.caller(again) == nil)
      expectEqual(await bench.signIn("anna", Self.password), .wrong)
    }
  }

  @Test func aFileThatIsDamagedLetsNobodyIn() async throws {
    try await withBench { bench in
      let secret = try await bench.session("anna", Self.password)
      try SmallFile.replace(AccessFile.users(in: bench.folder), with: [UInt8]("anna:attendant:plain\n".utf8))
      expect(bench.caller(secret) == nil)
      expectEqual(await bench.signIn("anna", Self.password), .wrong)
      try FileManager.default.removeItem(atPath: AccessFile.users(in: bench.folder))
      expectEqual(await bench.signIn("anna", Self.password, from: "10.0.0.9"), .wrong)
    }
  }

  @Test func sessionsEndByTime() async throws {
    try await withBench { bench in
      let secret = try await bench.session("anna", Self.password)
      for _ in 0..<11 {
        bench.time.advance(by: .seconds(3_600))
        expect(bench.caller(secret) != nil)
      }
      bench.time.advance(by: .seconds(3_599))
      let caller = try #require(bench.caller(secret))
      bench.time.advance(by: .seconds(1))
      expect(!bench.access.isCurrent(caller) && bench.caller(secret) == nil)
    }
  }

  @Test func theControlServicesTimeOutEndsWhatIsNotUsed() async throws {
    try await withBench { bench in
      bench.access.heed(sessionTimeout: .seconds(1_800))
      let secret = try await bench.session("anna", Self.password)
      for _ in 0..<4 {
        bench.time.advance(by: .seconds(1_799))
        expect(bench.caller(secret) != nil)
      }
      // What a page shows by itself is no use of it.
      bench.time.advance(by: .seconds(1_000))
      let caller = try #require(bench.caller(secret, isUse: false))
      bench.time.advance(by: .seconds(800))
      expect(!bench.access.isCurrent(caller) && bench.caller(secret) == nil)
      // One that is longer than twelve hours lengthens nothing.
      bench.access.heed(sessionTimeout: .seconds(100_000))
      let other = try await bench.session("anna", Self.password)
      bench.time.advance(by: PageSessions.life)
      expect(bench.caller(other) == nil)
    }
  }

  @Test func theOldestOf64SessionsEnds() async throws {
    try await withBench { bench in
      var secrets: [String] = []
      for _ in 0...PageSessions.mostOfAUser {
        secrets.append(try await bench.session("anna", Self.password))
        bench.time.advance(by: .seconds(1))
      }
      expectEqual(secrets.map { bench.caller($0) != nil }, [false] + secrets.dropFirst().map { _ in true })
      let sessions = bench.access.sessions(of: "anna")
      expectEqual(sessions.count, PageSessions.mostOfAUser)
      expectEqual(bench.access.sessions(of: "tom").count, 0)
      // Another's is none of one's own.
      expect(!bench.access.end(session: sessions[0].id, of: "tom"))
      expect(bench.access.end(session: sessions[0].id, of: "anna"))
      expect(bench.caller(secrets[1]) == nil && bench.caller(secrets[2]) != nil)
    }
  }

  @Test func twoPasswordsAreLookedAtAtATimeAndSomeWait() async throws {
    try await withBench { bench in
      let outcomes = await withTaskGroup(of: PageAccess.SignIn.self) { group in
        for number in 0..<60 { group.addTask { await bench.signIn("anna", Self.password, from: "10.0.1.\(number)") } }
        return await group.reduce(into: [PageAccess.SignIn]()) { $0.append($1) }
      }
      let done = outcomes.filter { if case .done = $0 { true } else { false } }.count
      expectEqual(done + outcomes.filter { $0 == .busy }.count, 60)
      expect(done >= HashQueue.most + HashQueue.longest)
      expect(bench.access.hashes.highest <= HashQueue.most)
    }
  }

  // MARK: Door screens

  @Test func aCodeSetsOneScreenUpOnce() async throws {
    try await withBench { bench in
      let code = try bench.add("wall", gate: "north")
      guard case .done(let secret) = await bench.access.signIn(code: code, client: .address("a"), address: "a") else {
        return expect(false, "it is not taken")
      }
      let caller = try #require(bench.access.caller(device: secret))
      expectEqual(caller.name, "wall")
      expectEqual(caller.role, .door)
      expectEqual(caller.gate, "north")
      expectEqual(await bench.access.signIn(code: code, client: .address("b"), address: "b"), .wrong)
      expectEqual(await bench.access.signIn(code: code, client: .address("b"), address: "b"), .wait(seconds: 1))
      // It is known after a new start, for a year, and its code is used still.
      let anew = AccessBench(bench.folder, time: bench.time)
      expectEqual(anew.access.caller(device: secret), caller)
      expectEqual(await anew.access.signIn(code: code, client: .address("b"), address: "b"), .wrong)
      let kept = try SmallFile.read(KnownScreens.path(in: bench.folder), limit: 10_000)
      expect(!String(decoding: kept, as: UTF8.self).contains(secret))
      bench.time.advance(by: PageDevice.life - .seconds(1))
      expect(bench.access.caller(device: secret) != nil)
      bench.time.advance(by: .seconds(1))
      expect(bench.access.caller(device: secret) == nil)
    }
  }

  @Test func aRevokedScreenShowsNothingAtOnce() async throws {
    try await withBench { bench in
      let code = try bench.add("wall", gate: "north")
      guard case .done(let secret) = await bench.access.signIn(code: code, client: .address("a"), address: "a") else {
        return expect(false, "it is not taken")
      }
      let caller = try #require(bench.access.caller(device: secret))
      try bench.revoke("wall")
      expect(!bench.access.isCurrent(caller) && bench.access.caller(device: secret) == nil)
      // Who is given the name again is another one.
      let other = try bench.add("wall", gate: "north")
      expect(bench.access.caller(device: secret) == nil && other != code)
    }
  }

  @Test func aCodeIsTakenForADay() async throws {
    try await withBench { bench in
      let code = try bench.add("wall", gate: "north")
      bench.time.advance(by: PageDevice.codeLife)
      expectEqual(await bench.access.signIn(code: code, client: .address("a"), address: "a"), .wrong)
    }
  }

  @Test func aCodeIsUsedOnceThoughManyTryAtOnce() async throws {
    try await withBench { bench in
      let code = try bench.add("wall", gate: "north")
      let done = await withTaskGroup(of: Bool.self) { group in
        for number in 0..<20 {
          group.addTask {
            if case .done = await bench.access.signIn(code: code, client: .address("\(number)"), address: "a") {
              true
            } else {
              false
            }
          }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      expectEqual(done, 1)
    }
  }
}
