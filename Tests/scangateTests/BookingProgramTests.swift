import Expectations
import Foundation
import Testing

/// `scangate booking`, as the program does it: what it keeps is sealed, passwords come from a pipe, and codes are drawn.
@Suite struct BookingProgramTests {
  typealias Service = BookingService

  private func run(_ server: DeskServer, _ words: [String], input: String = "") async throws -> Program.Result {
    try await Program.run(
      ["booking"] + words + ["--server", server.address, "--state", server.folder.path + "/state"],
      input: [UInt8](input.utf8), environment: ["TZ": "UTC"])
  }

  /// Nothing that was kept can be read off the disk.
  private func expectSealed(_ server: DeskServer, _ secrets: [String]) throws {
    let files = try #require(FileManager.default.enumerator(atPath: server.folder.path)).compactMap { $0 as? String }
    for file in files {
      guard let data = FileManager.default.contents(atPath: server.folder.path + "/" + file) else { continue }
      for secret in secrets { expect(data.firstRange(of: Data(secret.utf8)) == nil, "\(file)") }
    }
  }

  @Test func fromSigningInToACodeOnTheTelephone() async throws {
    let service = Service(.real) { $0.payment = "paid" }
    let server = try await DeskServer.start { service.answer($0) }
    // A password may have blanks, and ends where the line does.
    let signedIn = try await run(server, ["sign-in", "--email", Service.email], input: Service.password + "\r\n")
    expectStatus(signedIn, 0)
    try await expectStatus(run(server, ["whoami"]), 0)
    let reserved = try await run(server, ["reserve", Service.show, "F-12", "F-13", "--qr"])
    expectStatus(reserved, 0)
    expect(reserved.output.contains(Service.page) && reserved.output.contains("█"), "\(reserved.output)")
    try expectSealed(server, [service.token, Service.session, Service.password])
    // Nobody is here to say that it is paid.
    try await expectStatus(run(server, ["confirm", Service.session]), 64)
    let picture = server.folder.path + "/code.png"
    let paid = try await run(server, ["confirm", Service.session, "--yes", "--picture", picture])
    expectStatus(paid, 0)
    let read = try await Program.run(["decode", picture])
    expect(read.output.contains(Service.code), "\(read.output)\(read.errors)")
    // The page's address has small letters: our own decoder reads it, too.
    let page = server.folder.path + "/page.png"
    service.change { $0.seats = [:] }
    try await expectStatus(run(server, ["reserve", Service.show, "F-14", "--picture", page]), 0)
    let address = try await Program.run(["decode", page])
    expect(address.output.contains(Service.page), "\(address.output)\(address.errors)")
    for result in [signedIn, reserved, paid] {
      let all = result.output + result.errors
      expect(!all.contains(service.token) && !all.contains(Service.code) && !all.contains(Service.password), "\(all)")
    }
    try await expectStatus(run(server, ["sign-out"]), 0)
    try await expectStatus(run(server, ["whoami"]), 64)
    await server.end()
  }

  @Test(arguments: ["", "\n", "two\nlines", String(repeating: "x", count: 2_000), "a\u{7}b"])
  func passwordsThatAreNone(input: String) async throws {
    let service = Service(.real)
    let server = try await DeskServer.start { service.answer($0) }
    let result = try await run(server, ["sign-in", "--email", Service.email], input: input)
    expectStatus(result, 65)
    expect(server.lines.isEmpty)
    await server.end()
  }
}
