import ArgumentParser
import DecodeClient
import DecodeProtocol
import Glibc
import LinuxIO
import ScanModel

/// `scangate decode`: what a camera would read, tried with pictures.
struct DecodeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decode", abstract: "Read the codes of pictures, as a camera at a gate would.",
    discussion: """
      Reads PNG, JPEG, PGM and the frames of Y4M videos; - is standard input. Pictures are looked at in a process of its \
      own that can do nothing else, the same that looks at a camera's. Every kind of code is read unless --formats says \
      otherwise; a camera reads QR codes alone until more is configured. Each frame of a video is looked at as a picture is, for \
      which a camera has no time. Exits with 1 where a file could not be read; a \
      picture without a code is no error.
      """)

  @Flag(
    help:
      "Print one JSON object a file: file, symbols (symbology, text, bytes, points), decode_ms; for a video one a frame with a code, with its frame; for a file that cannot be read: file, error."
  )
  var json = false

  @Option(
    help: ArgumentHelp(
      "The kinds of codes, with commas: qr, ean13, ean8, upcA, upcE, code128, code39, code93, itf, codabar, dataBar, "
        + "dataBarExpanded, linear, all.", valueName: "list"))
  var formats = "all"

  @Option(
    help: ArgumentHelp(
      "Write a PNG that shows what the search for QR codes saw; of one picture.", valueName: "out.png"),
    completion: .file(extensions: ["png"]))
  var explain: String?

  @Argument(
    help: ArgumentHelp("The pictures.", valueName: "file"),
    completion: .file(extensions: ["png", "jpg", "jpeg", "pgm", "y4m"]))
  var files: [String]

  func validate() throws {
    if case .failure(let unknown) = KindNames.parse(formats) {
      throw ValidationError("\"\(TerminalText.clean(unknown.word))\" is no kind of code; there are \(KindNames.words)")
    }
    guard let explain else { return }
    if files.count != 1 { throw ValidationError("--explain is for one picture") }
    // A slip of the hand must not cost a picture.
    guard access(explain, F_OK) != 0 else {
      throw ValidationError(
        "\(TerminalText.clean(explain)) exists already: --explain wants the name of a new file, and the picture after it"
      )
    }
  }

  func run() async throws {
    let kinds = (try? KindNames.parse(formats).get()) ?? .all
    let session = try DecodeSession(
      program: DecodeProgram.path, settings: DecodeSettings(kinds: kinds, mode: .pictures))
    let progress = ProgressLine()
    defer { progress.end() }
    var hasFailed = false
    for file in files where await read(file, session, progress) == false { hasFailed = true }
    await session.stop()
    if hasFailed { throw ExitCode.failure }
  }

  /// Reads one file and prints what is in it.
  /// - Returns: whether it could be read.
  private func read(_ file: String, _ session: DecodeSession, _ progress: ProgressLine) async -> Bool {
    progress.show("Looking at \(file)")
    let bytes: [UInt8]
    do throws(PictureFile.Failure) {
      bytes = try PictureFile.read(file)
    } catch {
      tell(DecodedLine(file: file), error.words)
      return false
    }
    var line = DecodedLine(file: file)
    do throws(DecodeFault) {
      let first = try await session.read(bytes, purpose: explain == nil ? .reading : .explanation)
      guard first.result.isVideo else {
        tell(line, first.result)
        return explain.map { save(first.explanation, to: $0, line) } ?? true
      }
      guard explain == nil else {
        Terminal.error(line.plain(error: "--explain is for a picture, and this is a video"))
        return false
      }
      line.frame = 0
      var result = first.result
      var hasCode = false
      while true {
        if !result.reading.symbols.isEmpty {
          hasCode = true
          tell(line, result)
        }
        guard result.hasMore, let frame = line.frame else { break }
        line.frame = frame + 1
        progress.show("Looking at \(file): frame \(frame + 1)")
        result = try await session.read(nil, frame: frame + 1).result
      }
      if !hasCode, !json { for text in DecodedLine(file: file).plain(ViewReading()) { Terminal.out(text) } }
      return true
    } catch {
      tell(line, error.description)
      return false
    }
  }

  private func tell(_ line: DecodedLine, _ result: DecodeResult) {
    if json {
      Terminal.out(line.json(result.reading))
    } else {
      for text in line.plain(result.reading) { Terminal.out(text) }
    }
    if result.omitted > 0 { Terminal.error(line.plain(error: "\(result.omitted) more codes are too long to be told")) }
  }

  private func tell(_ line: DecodedLine, _ error: String) {
    if json { Terminal.out(line.json(error: error)) } else { Terminal.error(line.plain(error: error)) }
  }

  private func save(_ png: [UInt8], to path: String, _ line: DecodedLine) -> Bool {
    guard !png.isEmpty else {
      Terminal.error(line.plain(error: "there is nothing to explain: QR codes were not looked for"))
      return false
    }
    do throws(SystemError) {
      let file = try ReplacedFile(path, mode: 0o666)
      try file.write(bytes: png)
      try file.finish()
      return true
    } catch {
      Terminal.error("\(TerminalText.clean(path)): \(error.words)")
      return false
    }
  }
}
