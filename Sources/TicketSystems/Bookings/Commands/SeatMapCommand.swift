internal import ArgumentParser
internal import Glibc
internal import LinuxIO
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// `scangate booking seatmap`
struct SeatMapCommand: BoxOfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "seatmap", abstract: "Print the sections of a show's house, or draw it.",
    discussion: """
      The picture is drawn of the seats that the service tells, at the places that it tells, and by rows where it tells none: a mark says \
      a seat's status, a colour its section.
      """)

  @Argument(help: ArgumentHelp("The show.", valueName: "id"), transform: TypedID.read) var id: String
  @Option(help: ArgumentHelp("Draw it into this new file.", valueName: "file"), completion: .file(extensions: ["svg"]))
  var svg: String?
  @Flag(help: "Overwrite the file.") var force = false
  @OptionGroup var office: BoxOfficeArguments

  func validate() throws {
    guard svg != nil || !force else { throw ValidationError("--force comes with --svg.") }
    if let svg, !svg.lowercased().hasSuffix(".svg") { throw ValidationError("the picture is a .svg") }
  }

  func run(at office: BoxOffice) async throws {
    if let svg, !force, access(svg, F_OK) == 0 {
      throw office.failure(
        "\(TerminalText.clean(svg)) is there already: name a new file, or overwrite it with --force.", DeskExit.usage)
    }
    let map = try await map(office)
    let seats = try await office.seats(id)
    let house = seats.all.map { $0.coloured(map.colours) }
    let placed = house.count { $0.position != nil }
    if let svg { try write(SeatMapPicture.svg(house, title: map.title ?? id), to: svg, office) }
    let sections = Section.all(house)
    if office.isJSON {
      office.out(
        .object([
          "showId": .string(id), "map": .text(map.id), "name": .text(map.title),
          "seats": .number("\(house.count)"), "placed": .number("\(placed)"),
          "sections": .array(sections.map(\.json)),
        ]))
    } else {
      var table = DeskTable(heads: Section.heads)
      for line in table.lines(sections.map(\.cells)) { office.out(line) }
    }
    for note in seats.notes { office.tell(note) }
    guard let svg else { return }
    if house.count > SeatLayout.most { office.tell("\(SeatLayout.most) of \(house.count) seats are drawn.") }
    office.tell(
      "The house is in \(TerminalText.clean(svg)), "
        + (placed == house.count && placed > 0
          ? "as the service places its seats." : "by rows: the service places not all seats."))
  }

  /// What the service tells of the map; a show may have none.
  private func map(_ office: BoxOffice) async throws(DeskFault) -> BoxMap {
    do throws(DeskFault) {
      let document = try await office.read(
        "/api/shows/\(PercentCoding.encode(id))/seatmap", "/api/shows/ID/seatmap", mayBeCached: true)
      if let map = BoxMap(document, hiding: office.secrets) { return map }
    } catch {
      switch error {
      case .noWay, .refused(404, _): break
      default: throw error
      }
    }
    office.tell("\(office.host) has no map of this show: its seats alone are known.")
    return BoxMap()
  }

  private func write(_ svg: String, to path: String, _ office: BoxOffice) throws {
    do throws(SystemError) {
      let bytes = [UInt8](svg.utf8)
      guard force else { return try NewFile.write(bytes, to: path) }
      // A device or a link of that name must not be replaced by a file.
      var status = stat()
      if lstat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
        throw SystemError(errno: EEXIST, call: "open")
      }
      let number = String(UInt64.random(in: .min ... .max), radix: 36)
      var file = try FileReplacement(of: path, ending: ".\(number)\(FileReplacement.ending)")
      try SmallFile.write(file.file.number, bytes)
      try file.finish()
    } catch {
      throw office.failure("\(TerminalText.clean(path)) cannot be written: \(error.words).", DeskExit.output)
    }
  }

  /// What the service tells of a house beside its seats.
  private struct BoxMap {
    private(set) var id: String?
    private(set) var title: String?
    /// Of its sections, by their names.
    private(set) var colours: [String: HexColour] = [:]

    /// Nothing.
    init() {}

    /// - Returns: `nil` where the document has no map.
    init?(_ document: JSONValue, hiding secrets: [Redaction]) {
      if document["seatMap"] == .some(.null) { return nil }
      let map = document.first("seatMap", "seat_map", "data") ?? document
      guard case .object(let members) = map, !members.isEmpty else { return nil }
      id = map["id"]?.identifier
      title = map.first("name", "title")?.told(hiding: secrets)
      let sections = map["sections"]?.elements ?? map["layoutConfig"]?["sections"]?.elements ?? []
      for section in sections.prefix(200) {
        guard let name = section.first("display_name", "name")?.told(hiding: secrets) else { continue }
        colours[name] = HexColour(section.first("color_hex", "color_code", "color"))
      }
    }
  }

  /// A part of the house.
  struct Section {
    static let heads = ["SECTION", "COLOUR", "SEATS", "AVAILABLE", "RESERVED", "SOLD", "PRICES"]

    /// `nil` for seats that are in none.
    let name: String?
    let seats: [BoxSeat]

    /// The sections of a house, as they come.
    static func all(_ seats: [BoxSeat]) -> [Section] {
      let groups = Dictionary(grouping: seats, by: \.section)
      var known: Set<String?> = []
      return seats.compactMap { known.insert($0.section).inserted ? $0.section : Optional<String?>.none }
        .map { Section(name: $0, seats: groups[$0] ?? []) }
    }

    private func count(_ status: BoxSeat.Status) -> Int { seats.count { $0.status == status } }

    private var prices: [Price] {
      var known: Set<Price> = []
      return seats.compactMap(\.price).filter { known.insert($0).inserted }
    }

    var cells: [String] {
      let prices = prices
      return [
        name ?? "-", seats.first?.colour?.text ?? "-", "\(seats.count)", "\(count(.available))", "\(count(.reserved))",
        "\(count(.sold))",
        prices.isEmpty ? "-" : prices.prefix(6).map(\.text).joined(separator: ", ") + (prices.count > 6 ? " …" : ""),
      ]
    }

    var json: JSONValue {
      .object([
        "name": .text(name), "colour": .text(seats.first?.colour?.text), "seats": .number("\(seats.count)"),
        "available": .number("\(count(.available))"), "reserved": .number("\(count(.reserved))"),
        "sold": .number("\(count(.sold))"), "prices": .array(prices.prefix(100).map(\.json)),
      ])
    }
  }
}
