import ScanModel
import FoundationEssentials
import KnownScanners
import LinuxIO
import UnixSignals

/// `scangate devices --watch`: one line for each device that comes or goes.
enum DeviceWatching {
  private struct Line: Encodable {
    var event: String
    var node: String
    var name: String?
    var model: String?
    var ids: String?
    var serial: String?
    var port: String?
  }

  static func run(json: Bool) async throws {
    // Before the watch begins, so that an interrupt ends it in order from the first moment.
    let interrupts = await UnixSignalsSequence(trapping: .sigint, .sigterm)
    let watch: HotplugWatch
    do throws(SystemError) {
      watch = try HotplugWatch(subsystems: ["input", "tty", "hidraw", "video4linux"])
      try await watch.start { news in
        guard isShown(news) else { return }
        Terminal.out(json ? jsonText(news) : text(news))
      }
    } catch {
      throw failure("udev cannot be heard: \(error.words).")
    }
    if !json { Terminal.error("Plug and unplug; Ctrl+C ends.") }
    for await _ in interrupts { break }
    await watch.stop()
  }

  private static func isShown(_ news: HotplugWatch.News) -> Bool {
    let device = device(news)
    switch device.subsystem {
    case "input": return device.node.hasPrefix("/dev/input/event")
    case "tty": return device.port != nil
    case "video4linux": return device.isCamera
    default: return true
    }
  }

  private static func device(_ news: HotplugWatch.News) -> DeviceIdentity {
    switch news {
    case .plugged(let device), .unplugged(let device): device
    }
  }

  private static func line(_ news: HotplugWatch.News) -> Line {
    func clean(_ text: String?) -> String? { text.map { TerminalText.clean($0, limit: 128) } }
    let device = device(news)
    let event = if case .plugged = news { "plugged" } else { "unplugged" }
    return Line(
      event: event, node: device.node, name: clean(device.name),
      model: ScannerDatabase.carried.model(vendor: device.vendor, product: device.product)?.title, ids: device.model,
      serial: clean(device.serial), port: clean(device.port ?? device.idPath))
  }

  private static func text(_ news: HotplugWatch.News) -> String {
    let line = line(news)
    let facts = [
      line.ids, line.model.map { "[\($0)]" }, line.serial.map { "serial \($0)" }, line.port.map { "port \($0)" },
    ]
    let words = facts.compactMap(\.self).joined(separator: "  ")
    return "\(line.event == "plugged" ? "+" : "-") \(line.node)  \(line.name ?? "without a name")  \(words)"
  }

  private static func jsonText(_ news: HotplugWatch.News) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return (try? encoder.encode(line(news))).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }
}
