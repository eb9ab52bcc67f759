internal import ArgumentParser
internal import Glibc
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// A receipt that is sent: a file, never an argument, which others could see.
struct ReceiptArgument: ParsableArguments {
  /// The largest, in bytes: years of payments have not a tenth of it.
  private static let longest = 1 << 20

  @Option(
    help: ArgumentHelp("The receipt in base 64, as the app has it; - for standard input.", valueName: "file"),
    completion: .file())
  var receipt: String

  /// Reads it.
  /// - Throws: an exit that has told why it cannot be used.
  func read(_ office: Office) throws -> String {
    let name = receipt == "-" ? "Standard input" : TerminalText.clean(receipt)
    let bytes: [UInt8]
    do throws(SystemError) {
      if receipt == "-" {
        bytes = try SmallFile.read(STDIN_FILENO, upTo: Self.longest)
      } else {
        let file = try OwnedDescriptor.open(receipt, O_RDONLY | O_NONBLOCK)
        bytes = try SmallFile.read(file.number, upTo: Self.longest)
      }
    } catch {
      throw office.failure("\(name) cannot be read: \(error.words).", DeskExit.data)
    }
    guard bytes.count <= Self.longest else { throw office.failure("\(name) is too long for a receipt.", DeskExit.data) }
    // Line ends are put into base 64 by those who print it.
    let kept = bytes.filter { !($0 == 0x20 || (0x09...0x0D).contains($0)) }
    guard !kept.isEmpty else { throw office.failure("\(name) is empty.", DeskExit.data) }
    guard kept.allSatisfy({ Self.isBase64($0) }) else {
      throw office.failure("\(name) is no receipt: there is something else than base 64 in it.", DeskExit.data)
    }
    return String(decoding: kept, as: UTF8.self)
  }

  private static func isBase64(_ byte: UInt8) -> Bool {
    (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte & 0xDF) || "+/=-_".utf8.contains(byte)
  }
}

extension Office {
  /// Writes what is for no screen into a new file, readable by its owner alone.
  func write(_ text: String, to path: String) throws {
    do throws(SystemError) {
      try KeyFile.write(text, to: path)
    } catch {
      throw failure(
        "\(TerminalText.clean(path)) cannot be written: \(error.words). Name a new file in a folder that you can write to.",
        DeskExit.output)
    }
  }
}
