import ArgumentParser
import CBuild
import LibCrypto
import SQLiteFile

/// `scangate version`: for a technician on the phone.
struct VersionCommand: ParsableCommand {
  static let configuration = CommandConfiguration(commandName: "version", abstract: "Print the version.")

  @Flag(help: "Print JSON: commit, compiler, and the libraries that are inside and beside.")
  var json = false

  func run() throws {
    guard json else { return Terminal.out("scangate \(Scangate.version)") }
    try Terminal.out(json: BuildFacts.current)
  }
}

/// What this program is made of, and runs with.
struct BuildFacts: Encodable, Equatable {
  /// The release.
  var version: String
  /// The commit; `nil` where whoever built it did not say.
  var commit: String?
  /// Whether files differed from that commit.
  var isModified: Bool?
  /// The version of the Swift compiler; `nil` where whoever built it did not say.
  var compiler: String?
  /// The processor, as Debian names it.
  var architecture: String
  /// The Swift packages inside, by name; empty where whoever built it did not say.
  var packages: [String: String]
  /// The machine's own libraries that it runs with.
  var libraries: [String: String]

  enum CodingKeys: String, CodingKey {
    case version, commit, compiler, architecture, packages, libraries
    case isModified = "modified"
  }

  /// Of this process.
  static var current: Self {
    Self(
      commit: String(cString: cbuild_commit()), compiler: String(cString: cbuild_compiler()),
      packages: String(cString: cbuild_packages()),
      libraries: [
        "glibc": String(cString: cbuild_libc()), "libsodium": LibraryVersions.sodium,
        "openssl": LibraryVersions.openSSL, "sqlite": SQLiteLibrary.version,
      ])
  }

  /// - Parameters:
  ///   - commit: with a plus sign behind it where files differed; empty where it is not known.
  ///   - packages: `swift-nio=2.101.2`, with commas between.
  init(commit: String, compiler: String, packages: String, libraries: [String: String]) {
    version = Scangate.version
    self.commit = commit.isEmpty ? nil : String(commit.prefix { $0 != "+" })
    isModified = commit.isEmpty ? nil : commit.hasSuffix("+")
    self.compiler = compiler.isEmpty ? nil : compiler
    architecture = Self.architecture
    let pairs = packages.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
    self.packages = Dictionary(
      pairs.compactMap { $0.count == 2 ? ($0[0], $0[1]) : nil }, uniquingKeysWith: { first, _ in first })
    self.libraries = libraries
  }

  private static var architecture: String {
    #if arch(arm64)
      "arm64"
    #elseif arch(x86_64)
      "amd64"
    #else
      "other"
    #endif
  }
}
