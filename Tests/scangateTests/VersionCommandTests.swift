import Expectations
import Foundation
import Testing

@testable import scangate

@Suite struct VersionCommandTests {
  @Test func tellsVersionAloneOrAllFacts() async throws {
    let plain = try await Program.run(["version"])
    expectEqual(plain.output, "scangate \(Scangate.version)\n")
    let told = try await Program.run(["version", "--json"])
    expectEqual(told.status, 0)
    let facts = try #require(try JSONSerialization.jsonObject(with: Data(told.output.utf8)) as? [String: Any])
    expectEqual(facts["version"] as? String, Scangate.version)
    let libraries = try #require(facts["libraries"] as? [String: String])
    expectEqual(libraries.keys.sorted(), ["glibc", "libsodium", "openssl", "sqlite"])
    expect(libraries.values.allSatisfy { $0.first?.isNumber == true })
  }

  @Test func whatTheBuildSaysIsTakenApart() {
    let facts = BuildFacts(
      commit: "0123abcd+", compiler: "6.2.3", packages: "swift-nio=2.101.2,yams=6.2.2,broken", libraries: [:])
    expectEqual(facts.commit, "0123abcd")
    expectEqual(facts.isModified, true)
    expectEqual(facts.compiler, "6.2.3")
    expectEqual(facts.packages, ["swift-nio": "2.101.2", "yams": "6.2.2"])
    let unmodified = BuildFacts(commit: "0123abcd", compiler: "", packages: "", libraries: [:])
    expectEqual(unmodified.isModified, false)
    expectEqual(unmodified.compiler, nil)
  }

  @Test func whatTheBuildDoesNotSayIsNotMadeUp() {
    let facts = BuildFacts(commit: "", compiler: "", packages: "", libraries: [:])
    expectEqual(facts.commit, nil)
    expectEqual(facts.isModified, nil)
    expectEqual(facts.packages, [:])
  }
}
