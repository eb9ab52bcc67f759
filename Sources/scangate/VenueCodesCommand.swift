import ArgumentParser
import Glibc
import LinuxIO
import ScanModel
import VenueServer

extension VenueCommand {
  /// `scangate venue codes`
  struct Codes: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "codes", abstract: "Make a page of a venue's codes to print for a rehearsal.",
      discussion: """
        The page is one HTML file with all that it needs: open it in any browser and print it. Under each QR code stand the \
        holder, what the ticket is, and the code's last four characters. Its codes are as good as the tickets.
        """)

    @OptionGroup var venue: VenueSource

    @Option(
      help: ArgumentHelp("Write the page to this new file, readable by you alone.", valueName: "file"),
      completion: .file(extensions: ["html"]))
    var sheet: String

    func run() async throws {
      let progress = ProgressLine()
      defer { progress.end() }
      let interruption = Interruption(progress)
      defer { interruption.end() }
      let tickets = try await venue.tickets()
      guard !tickets.isEmpty else { throw failure("The venue has no tickets: seed it, or import some.", Exit.data) }
      var page = CodeSheet()
      for ticket in tickets {
        guard page.add(ticket) else {
          progress.end()
          throw failure("The code \(Code(ticket.code).shortened) is too long for a QR code.", Exit.data)
        }
        progress.show("Drawing: \(page.count) of \(tickets.count) codes")
      }
      progress.end()
      do throws(SystemError) {
        try NewFile.write([UInt8](page.html.utf8), to: sheet)
      } catch {
        let hint = error.errno == EEXIST ? " Nothing is overwritten: name a new file." : ""
        throw failure("\(sheet) cannot be written: \(error.words).\(hint)", Exit.output)
      }
      Terminal.out("\(page.count) codes are in \(TerminalText.clean(sheet)): open it in a browser, and print it.")
      Terminal.error("Who has the page has the tickets: keep it as you would keep them.")
    }
  }
}

/// A page of QR codes that any browser prints: three in a row, none cut by the end of a sheet of paper.
struct CodeSheet {
  private var figures = ""
  /// How many codes it has.
  private(set) var count = 0

  /// Adds a ticket's code.
  /// - Returns: whether it fits into a QR code.
  mutating func add(_ ticket: BookedTicket) -> Bool {
    guard let picture = QRPicture(text: ticket.code) else { return false }
    count += 1
    figures += """
      <figure>
      \(picture.svg(millimetres: 50))<figcaption><b>\(Self.escaped(ticket.holder.isEmpty ? "Nobody named" : ticket.holder))</b><br>\
      \(Self.kind(ticket))<br><code>\(Self.escaped(Code(ticket.code).shortened))</code></figcaption>
      </figure>

      """
    return true
  }

  /// The page.
  var html: String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <title>Codes for a rehearsal</title>
    <style>
    @page { margin: 10mm }
    body { margin: 0; font: 11pt/1.3 sans-serif; color: #000; background: #fff }
    main { display: flex; flex-wrap: wrap; gap: 6mm }
    figure { margin: 0; width: 58mm; text-align: center; break-inside: avoid; page-break-inside: avoid }
    svg { display: block; margin: 0 auto }
    figcaption { overflow-wrap: anywhere }
    </style>
    </head>
    <body>
    <main>
    \(figures)</main>
    </body>
    </html>

    """
  }

  /// What the ticket is, in words: `sale for 2, refunded`.
  private static func kind(_ ticket: BookedTicket) -> String {
    var words = [ticket.isSale ? "sale for \(ticket.quantity)" : "entry"]
    switch ticket.seeded {
    case .wrongDay?: words.append("another day")
    case .otherOrganiser?: words.append("another organiser")
    default: break
    }
    if ticket.status != .paid { words.append(ticket.status.rawValue) }
    return words.joined(separator: ", ")
  }

  private static func escaped(_ text: String) -> String {
    TerminalText.clean(text).map { character in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      default: String(character)
      }
    }.joined()
  }
}
