import ArgumentParser
import CameraReader
import DecodeClient
import DecodeProtocol
import Glibc
import LinuxIO
import ScanConfiguration
import ScanModel
import Reading

/// `scangate camera snapshot`: what a camera sees, and why nothing is read.
struct CameraSnapshotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "snapshot", abstract: "Take pictures for a second, tell what is read in them, and if nothing is, why.",
    discussion: """
      The camera is set as its reader is configured, where it has one. A running service has its cameras to itself: stop it \
      first. Pictures are looked at in a process of its own, and none is kept unless --out names a file: a .png shows what \
      the search for QR codes saw, a .pgm or .jpg is what the camera gave.
      """)

  @OptionGroup var source: ConfigurationArgument

  @Argument(help: ArgumentHelp("The camera: its node, a link to it, or a reader's name.", valueName: "camera"))
  var camera: String

  @Option(
    help: ArgumentHelp("Keep one picture.", valueName: "file"), completion: .file(extensions: ["png", "pgm", "jpg"]))
  var out: String?

  @Option(help: ArgumentHelp("The kinds of codes, with commas; those of its reader if left out.", valueName: "list"))
  var kinds: String?

  func validate() throws {
    if let kinds, case .failure(let unknown) = KindNames.parse(kinds) {
      throw ValidationError("\"\(TerminalText.clean(unknown.word))\" is no kind of code; there are \(KindNames.words)")
    }
  }

  func run() async throws {
    let configuration = CameraCommand.configuration(source.file)
    let configured = configuration?.cameras ?? []
    guard let device = try listCameras(configured).first(where: { isMeant($0) })?.device else {
      throw absence(configuration)
    }
    let reader = configured.first { $0.id == device.reader }
    let shot = try CameraSnapshot(
      of: device.device, wish: reader?.wish ?? StreamWish(), controls: reader?.controls ?? CameraControls())
    // In numbers: Swift 6.2 finds no quotient of two durations here.
    let seconds = Double(shot.span.saturatedNanoseconds) / 1e9
    let rate = seconds > 0 ? Double(max(0, shot.count - shot.bad - 4)) / seconds : 0
    Terminal.out(
      "\(shot.format.title), about \(Int(rate.rounded())) pictures a second\(shot.bad > 0 ? ", \(shot.bad) of \(shot.count) damaged" : "")"
    )
    for shortfall in shot.shortfalls { Terminal.out(shortfall) }
    let wanted = kinds.flatMap { try? KindNames.parse($0).get() } ?? reader?.kinds ?? .qr
    try await look(at: shot.pictures, wanted)
  }

  /// Why there is nothing to be seen by that name.
  private func absence(_ configuration: StationConfiguration?) -> DeviceError {
    let list = "See: scangate camera list"
    if configuration?.cameras.contains(where: { $0.id.name == camera }) == true {
      return DeviceError(device: "reader \(camera)", what: "its camera is not plugged in", remedy: list)
    }
    if configuration?.readers.contains(where: { $0.id.name == camera }) == true {
      return DeviceError(device: "reader \(camera)", what: "it is no camera", remedy: list)
    }
    if camera.hasPrefix("/") {
      let isThere = access(camera, F_OK) == 0
      return DeviceError(device: camera, what: isThere ? "it is no camera" : "there is no such node", remedy: list)
    }
    return DeviceError(
      device: "\"\(camera)\"", what: "no camera has that node, and no reader of the configuration that name",
      remedy: list)
  }

  private func isMeant(_ report: CameraReport) -> Bool {
    if report.device.reader?.name == camera || report.device.device.node == camera { return true }
    guard camera.hasPrefix("/"), let resolved = realpath(camera, nil) else { return false }
    defer { free(resolved) }
    return String(cString: resolved) == report.device.device.node
  }

  private func look(at pictures: [CameraPicture], _ kinds: SymbologySet) async throws {
    let session: DecodeSession
    do throws(SystemError) {
      session = try DecodeSession(
        program: DecodeProgram.path, settings: DecodeSettings(kinds: kinds, mode: .pictures))
    } catch {
      throw failure("no thread could be started: \(error)")
    }
    var qualities: [ViewQuality] = []
    var seen: [String: (symbol: SeenSymbol, count: Int)] = [:]
    var most = 0
    var faults: Set<String> = []
    var explanation: [UInt8] = []
    let isExplained = out?.hasSuffix(".png") == true
    for (index, picture) in pictures.enumerated() {
      let isLast = index == pictures.count - 1
      do throws(DecodeFault) {
        let found = try await session.read(picture.file, purpose: isExplained && isLast ? .explanation : .reading)
        qualities.append(found.result.reading.quality)
        most = max(most, Set(found.result.reading.symbols.map(\.text)).count)
        for symbol in found.result.reading.symbols { seen[symbol.text, default: (symbol, 0)].count += 1 }
        if isLast { explanation = found.explanation }
      } catch {
        faults.insert(error.description)
      }
    }
    await session.stop()
    for fault in faults.sorted() { Terminal.error(TerminalText.clean(fault, limit: 1_000)) }
    if !faults.isEmpty, qualities.isEmpty { throw failure("No picture could be looked at.", Exit.unavailable) }
    for (_, found) in seen.sorted(by: { $0.key < $1.key }) {
      let text = TerminalText.clean(found.symbol.text, limit: 8_000)
      Terminal.out(
        "\(found.symbol.symbology.rawValue) \"\(text)\" in \(found.count) of \(pictures.count) pictures")
    }
    if most > 1 {
      Terminal.out("\(most) codes at once: a gate reads the one nearest to the centre, or none (several: refuse)")
    }
    if seen.isEmpty {
      Terminal.out("No code was read.")
      for advice in ViewAdvice.of(qualities) { Terminal.out("  \(advice.words)") }
    }
    if let out, let last = pictures.last { try save(isExplained ? explanation : last.file, last, to: out) }
  }

  private func save(_ bytes: [UInt8], _ picture: CameraPicture, to path: String) throws {
    guard !bytes.isEmpty else {
      throw failure("There is nothing to explain: QR codes were not looked for.", Exit.usage)
    }
    if !path.hasSuffix(".png"), path.hasSuffix(".pgm") == picture.isJPEG {
      Terminal.error("The camera gave a \(picture.isJPEG ? "JPEG" : "PGM"), which is written as it is.")
    }
    do throws(SystemError) {
      // What a camera saw is nobody else's.
      let file = try ReplacedFile(path, mode: 0o600)
      try file.write(bytes: bytes)
      try file.finish()
    } catch {
      throw failure("\(TerminalText.clean(path)): \(error.words)", Exit.output)
    }
  }
}
