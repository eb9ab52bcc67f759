import Foundation
import Glibc

/// The program as a user starts it: the built executable, with real pipes.
struct Program {
  struct Result {
    var output: String
    var errors: String
    var status: Int32

    /// Lines of standard output.
    var lines: [String] { output.split(separator: "\n").map(String.init) }
  }

  /// Runs `scangate` with arguments and standard input, and waits for its end.
  /// - Parameters:
  ///   - environment: added to the environment.
  ///   - launcher: a program with its arguments that starts it in another way.
  static func run(
    _ arguments: [String], input: [UInt8] = [], environment: [String: String] = [:], launcher: [String] = []
  ) async throws -> Result {
    let process = Process()
    let program = try executable()
    process.executableURL = launcher.first.map { URL(filePath: $0) } ?? program
    process.arguments = launcher.isEmpty ? arguments : launcher.dropFirst() + [program.path] + arguments
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
    let (stdin, stdout, stderr) = (Pipe(), Pipe(), Pipe())
    process.standardInput = stdin
    process.standardOutput = stdout
    process.standardError = stderr
    let (ended, end) = AsyncStream<Int32>.makeStream()
    process.terminationHandler = { process in
      end.yield(process.terminationStatus)
      end.finish()
    }
    try process.run()
    async let output = read(stdout.fileHandleForReading)
    async let errors = read(stderr.fileHandleForReading)
    async let written: Void = write(input, to: stdin.fileHandleForWriting)
    var status: Int32 = -1
    for await code in ended { status = code }
    await written
    return await Result(output: output, errors: errors, status: status)
  }

  private static func read(_ handle: FileHandle) async -> String {
    await withCheckedContinuation { continuation in
      Thread {
        var all: [UInt8] = []
        while case let some = someBytes(of: handle), !some.isEmpty { all += some }
        continuation.resume(returning: String(decoding: all, as: UTF8.self))
      }.start()
    }
  }

  private static func write(_ bytes: [UInt8], to handle: FileHandle) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      Thread {
        // A program that ends early closes the pipe; that is its right, and ends no test.
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, nil)
        try? handle.write(contentsOf: Data(bytes))
        try? handle.close()
        continuation.resume()
      }.start()
    }
  }

  private struct NotBuilt: Error {}

  /// The executable as stations have it, with Swift's libraries inside, where `SCANGATE_PROGRAMS` names its folder: it
  /// starts in two thirds of the time, and tests start thousands. Else that beside the test bundle.
  static func executable(_ name: String = "scangate") throws -> URL {
    if let folder = ProcessInfo.processInfo.environment["SCANGATE_PROGRAMS"] {
      let program = URL(filePath: folder).appending(path: name)
      if FileManager.default.isExecutableFile(atPath: program.path) { return program }
    }
    var folder = URL(filePath: CommandLine.arguments[0]).resolvingSymlinksInPath()
    for argument in CommandLine.arguments where argument.hasSuffix(".xctest") {
      folder = URL(filePath: argument).resolvingSymlinksInPath()
    }
    for _ in 0..<4 {
      folder.deleteLastPathComponent()
      let candidate = folder.appending(path: name)
      if FileManager.default.isExecutableFile(atPath: candidate.path) { return candidate }
    }
    let built = URL(filePath: FileManager.default.currentDirectoryPath).appending(path: ".build/debug/\(name)")
    guard FileManager.default.isExecutableFile(atPath: built.path) else { throw NotBuilt() }
    return built
  }
}

/// A folder of a test's own.
func temporaryFolder() throws -> URL {
  let folder = FileManager.default.temporaryDirectory.appending(path: "scangate-\(UUID().uuidString)")
  try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  return folder
}

/// What there is to read, at least a byte of it; empty at the end. Unlike `FileHandle`'s own way, it survives a signal.
func someBytes(of handle: FileHandle) -> Data {
  var bytes = [UInt8](repeating: 0, count: 65_536)
  while true {
    let count = Glibc.read(handle.fileDescriptor, &bytes, bytes.count)
    if count > 0 { return Data(bytes.prefix(count)) }
    if count == 0 || errno != EINTR { return Data() }
  }
}
