import Expectations
import LibCrypto
import ScanConfiguration
import ScanModel
import ScanTesting
import Testing

@testable import Console

/// What costs next to nothing, for tests.
let cheapCost = Scrypt.Cost(logN: 4, blockSize: 1, parallelism: 1)

@Suite struct PasswordTests {
  @Test func aPasswordIsKnownByItsHashAlone() throws {
    let hash = try #require(PasswordHash(of: "correct horse", cost: cheapCost))
    expect(hash.matches("correct horse"))
    for wrong in ["", "correct hors", "correct horse ", "Correct horse", "correct horse\0"] {
      expect(!hash.matches(wrong), "\(wrong)")
    }
    expect(!hash.text.contains("correct"))
    expectEqual(PasswordHash(text: hash.text), hash)
    let other = try #require(PasswordHash(of: "correct horse", cost: cheapCost))
    expect(other.text != hash.text)
    expect(!PasswordHash(like: hash).matches("correct horse"))
  }

  @Test func whatIsLongerThanItMayBeIsNotCutShort() throws {
    let longest = String(repeating: "x", count: PasswordHash.longest)
    let hash = try #require(PasswordHash(of: longest, cost: cheapCost))
    expect(hash.matches(longest))
    expect(!hash.matches(longest + "y"))
  }

  @Test func aNewOneCostsWhatIsPromised() throws {
    let cost = try #require(PasswordHash.usualCost)
    expectEqual(cost.memory, 16 << 20)
    expectEqual(cost.parallelism, 5)
  }

  @Test func whatIsNoHashIsNone() throws {
    let hash = try #require(PasswordHash(of: "correct horse", cost: cheapCost))
    let parts = hash.text.split(separator: "$").map { String($0) }
    for text in [
      "", "scrypt", hash.text + "$", "bcrypt" + hash.text.dropFirst(6), hash.text.uppercased(),
      hash.text.replacing("$4$", with: "$40$"),
      hash.text.replacing("$4$", with: "$20$").replacing("$1$1$", with: "$32$1$"),
      String(hash.text.dropLast()), (parts[..<4] + ["00", parts[5]]).joined(separator: "$"),
    ] { expect(PasswordHash(text: text) == nil, "\(text)") }
  }

  @Test func shortAndPlainOnesAreNotTaken() {
    for password in ["", "1234567", "12345", "482915" + "\u{1}", "short", "111111", "123456", "987654", "anna-maria"] {
      expect(PasswordRule.refusal(of: password, for: "anna-maria") != nil, "\(password)")
    }
    for password in ["482915", "longenough", "äöüßäöüß", "12 34 56"] {
      expectEqual(PasswordRule.refusal(of: password, for: "anna"), nil)
    }
    expect(PasswordRule.refusal(of: String(repeating: "xy", count: 200), for: "anna") != nil)
  }
}

@Suite struct AccessFileTests {
  private static func user(_ name: String, _ role: PageRole = .attendant) throws -> PageUser {
    PageUser(name: name, role: role, hash: try #require(PasswordHash(of: "password of \(name)", cost: cheapCost)))
  }

  @Test func usersComeBackAsTheyWereWritten() throws {
    var users = PageUsers()
    for (index, role) in PageUser.roles.enumerated() { expect(users.set(try Self.user("user\(index)", role))) }
    expectEqual(try PageUsers([UInt8](users.text.utf8)), users)
    expect(users.remove("user1") && !users.remove("user1"))
    expectEqual(try PageUsers([UInt8](users.text.utf8)), users)
  }

  @Test func oneWrongLineAndNobodyIsLetIn() throws {
    let good = PageUsersText(try Self.user("anna"))
    for (line, at) in [
      ("anna", 2), ("anna:attendant", 2), ("Bob" + good.rest, 2), ("bob:door:" + good.hash, 2),
      ("bob:root:" + good.hash, 2), (good.line, 2), ("bob:attendant:" + good.hash + ":more", 2),
      ("bob:attendant:plain", 2),
    ] {
      expectEqual(Self.fault([UInt8]("\(good.line)\n\(line)\n".utf8)), at, "\(line)")
    }
    expectEqual(Self.fault([0xFF]), 1)
    expectEqual(Self.fault([UInt8](repeating: 0x23, count: PageUsers.longest + 1)), 1)
  }

  /// Whatever the file holds: users with names and roles that there are, or none at all.
  @Test(arguments: 0..<4) func damageTrapsNothing(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var users = PageUsers()
    for name in ["anna", "bob"] { expect(users.set(try Self.user(name))) }
    let (device, _) = PageDevice.new("wall", gate: "north: % ä", at: WallTime(seconds: 1))
    var devices = PageDevices()
    expect(devices.add(device))
    for _ in 0..<extent(landing: 500, release: 5_000) {
      for text in [users.text, devices.text] {
        var bytes = [UInt8](text.utf8)
        for _ in 0..<Int.random(in: 1...4, using: &random) {
          let index = Int.random(in: 0..<bytes.count, using: &random)
          switch Int.random(in: 0..<3, using: &random) {
          case 0: bytes[index] = UInt8.random(in: .min ... .max, using: &random)
          case 1: bytes.remove(at: index)
          default: bytes.insert(UInt8(ascii: ":"), at: index)
          }
        }
        if let read = try? PageUsers(bytes) {
          expect(read.users.allSatisfy { PageUser.isName($0.name) && PageUser.roles.contains($0.role) }, "seed \(seed)")
        }
        if let read = try? PageDevices(bytes) {
          expect(read.devices.allSatisfy { PageUser.isName($0.name) && !$0.gate.isEmpty }, "seed \(seed)")
        }
      }
    }
  }

  @Test func devicesComeBackAsTheyWereWritten() throws {
    var devices = PageDevices()
    for gate in ["north", "Halle: ä %", "a\nb"] {
      expect(devices.add(PageDevice.new("screen\(devices.devices.count)", gate: gate, at: WallTime(seconds: 5)).device))
    }
    expectEqual(try PageDevices([UInt8](devices.text.utf8)), devices)
    expect(!devices.add(PageDevice.new("screen1", gate: "north", at: WallTime(seconds: 5)).device))
  }

  @Test func aCodeIsReadAsPeopleTypeIt() throws {
    let code = DeviceCode()
    expectEqual(code.text.count, 19)
    for typed in [
      code.text, code.text.lowercased(), code.text.replacing("-", with: " "), " " + code.text.replacing("0", with: "O"),
    ] {
      expectEqual(DeviceCode(typed)?.digest, code.digest)
    }
    for typed in ["", "K7QF", code.text + "0", String(repeating: "U", count: 16), "<script>"] {
      expect(DeviceCode(typed) == nil, "\(typed)")
    }
  }

  @Test func namesAreAsTheyAreTyped() {
    expectEqual(PageUser.typed(" Anna "), "anna")
    for name in ["", "Anna", "-a", "a:b", "a b", "ä", "a\n", String(repeating: "a", count: 33)] {
      expect(!PageUser.isName(name), "\(name)")
    }
  }

  private static func fault(_ bytes: [UInt8]) -> Int? {
    do throws(AccessFileFault) {
      _ = try PageUsers(bytes)
      return nil
    } catch { return error.line }
  }

  private struct PageUsersText {
    let line: String
    let hash: String
    var rest: String { ":attendant:\(hash)" }

    init(_ user: PageUser) {
      hash = user.hash.text
      line = "\(user.name):\(user.role.rawValue):\(hash)"
    }
  }
}

@Suite struct SignInPathTests {
  @Test func onlyPagesOfOursAreGoneOnTo() {
    for path in ["/door/north", "/attendant/Halle%20A", "/technician", "/organiser", "/sessions"] {
      expectEqual(SignInPaths.onward(path), path)
    }
    for path in [
      "", "/", "//evil.example", "/\\evil.example", "https://evil.example", "door/north", "/door/../sign-out",
      "/sign-out", "/door/a\r\nSet-Cookie: x", "/door/<script>", "/evil", "/door/a?b", "/door/ä", "/./door/a",
    ] { expectEqual(SignInPaths.onward(path), nil) }
    expectEqual(SignInPaths.next(in: "next=%2Fattendant%2Fnorth"), "/attendant/north")
    expectEqual(SignInPaths.next(in: "next=%2F%2Fevil.example"), nil)
    expectEqual(SignInPaths.signIn(for: "/door/Halle%20A"), "/sign-in?next=%2Fdoor%2FHalle%2520A")
  }

  @Test func aNetworkIsWhatOnePersonHas() {
    expectEqual(SignInRoutes.network(of: "10.0.0.1"), "10.0.0.1")
    expectEqual(SignInRoutes.network(of: "2001:db8:1:2:3:4:5:6"), "2001:db8:1:2")
    expectEqual(SignInRoutes.network(of: "2001:db8::6"), "2001:db8:0:0")
    expectEqual(SignInRoutes.network(of: "fe80::1%eth0"), "fe80:0:0:0")
    expectEqual(SignInRoutes.network(of: "::"), "0:0:0:0")
  }

  @Test func formsAreReadOrNone() {
    expectEqual(PageForm([UInt8]("a=b+c&d=%C3%A4&e=".utf8))?["d"], "ä")
    expectEqual(PageForm([UInt8]("a=b+c".utf8))?["a"], "b c")
    expectEqual(PageForm([])?.names, [])
    for text in ["a=1&a=2", "a=%zz", "a=%ff", "%=1"] { expect(PageForm([UInt8](text.utf8)) == nil, "\(text)") }
    let many = (0...PageForm.mostFields).map { "f\($0)=1" }.joined(separator: "&")
    expect(PageForm([UInt8](many.utf8)) == nil)
  }
}
