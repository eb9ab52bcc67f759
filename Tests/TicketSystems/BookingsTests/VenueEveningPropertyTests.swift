import Admission
import Calls
import Expectations
import Foundation
import Journal
import LinuxIO
import ScanConfiguration
import ScanModel
import ScanTesting
import Synchronization
import Testing
import TicketSystemKit
import TicketTransport
import VenueServer

@testable import Bookings
@testable import Gateway
@testable import TicketLists

/// Random evenings at a theatre with a matinee, a night and a show after midnight, clocks that change, cancellations, fetches that fail,
/// a network that goes, processes that are killed, and two doors:
///
/// - nobody passes beyond a booking's seats, whatever is killed when;
/// - nobody passes outside of the hours of his show, by either reading of its time;
/// - nobody who is on the list is refused, whatever became of the fetches since;
/// - nobody passes on a booking that is over, once a list has told so.
@Suite(.timeLimit(.minutes(3))) struct VenueEveningPropertyTests {
  /// A venue, its day, and a show in the night after it: most of these have a change of clocks.
  private static let nights: [(zone: String, day: String, next: String, late: String)] = [
    (zone: "Europe/London", day: "2026-05-02", next: "2026-05-03", late: "00:30:00"),
    ("Europe/London", "2026-03-28", "2026-03-29", "01:30:00"),
    ("America/New_York", "2026-03-07", "2026-03-08", "02:30:00"),
    ("Europe/London", "2026-10-24", "2026-10-25", "01:30:00"),
    ("America/New_York", "2026-10-31", "2026-11-01", "01:30:00"),
    ("Australia/Sydney", "2026-04-04", "2026-04-05", "02:30:00"),
  ]

  /// When a show is, worked out by another way than the station's.
  private struct Show {
    let id: String
    /// By clocks at the venue.
    let day: String
    /// Each moment that its time may mean.
    let readings: [WallTime]
    /// Whether clocks change about then.
    let isAtChange: Bool

    init(_ id: String, _ day: String, _ time: String, in zone: TimeZone) throws {
      let local = try #require(WallTime(iso8601: "\(day)T\(time)Z")).seconds
      func offset(_ second: Int64) -> Int64 {
        Int64(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(second))))
      }
      let offsets = Set([offset(local - 86_400), offset(local + 86_400)])
      let moments = offsets.map { local - $0 }.sorted()
      let shown = moments.filter { $0 + offset($0) == local }
      (self.id, self.day) = (id, day)
      readings = (shown.isEmpty ? moments : shown).map { WallTime(seconds: $0) }
      isAtChange = offsets.count > 1
    }

    private static let tolerance = Duration.seconds(2)

    /// Whether doors are open by one of the readings.
    func isOpen(at now: WallTime) -> Bool {
      readings.contains {
        $0 - .seconds(3_600) + Self.tolerance <= now && now + Self.tolerance < $0 + .seconds(1_800)
      }
    }

    /// Whether they may be.
    func mayBeOpen(at now: WallTime) -> Bool {
      guard let first = readings.first, let last = readings.last else { return false }
      // What begins within the hour before a change may have the reading after it, too.
      let close = last + .seconds(1_800) + (isAtChange ? .seconds(3_600) : .zero)
      return first - .seconds(3_600) - Self.tolerance <= now && now < close + Self.tolerance
    }
  }

  /// A booking, by the venue's books and ours.
  private struct Held {
    let id: String
    let code: String
    let show: Show
    let seats: Int
    var isConfirmed: Bool
    /// Whether the list on board has it as one that admits.
    var isListed = false
    /// Whether a list has told that it is over.
    var isOver = false
    /// How many have passed.
    var passed = 0
    /// How many may be in the book who have not: the process was killed then.
    var mayBeKept = 0
  }

  private struct Evening {
    let venue: TheatreVenue
    let seed: UInt64
    var random: SeededGenerator
    var station: TheatreStation
    var shows: [(name: String, show: Show)]
    var bookings: [Held] = []
    var isAway = false
    var listedAt: WallTime?
    var admitted = 0

    var time: StageTime { venue.time }

    init(_ venue: TheatreVenue, seed: UInt64, next: String, late: String) async throws {
      self.venue = venue
      self.seed = seed
      random = SeededGenerator(seed: seed)
      let zone = try #require(TimeZone(identifier: venue.seeded.zone))
      let id = try await venue.server.addShow(NewShow(title: "Midnight", date: next, time: late))
      shows = [("midnight", try Show(id, next, late, in: zone))]
      for kind in [SeededShow.Kind.matinee, .night, .tomorrow] {
        let show = try venue.show(kind)
        shows.append((kind.rawValue, try Show(show.id, show.date, show.time, in: zone)))
      }
      for booking in venue.seeded.bookings {
        guard let show = shows.first(where: { $0.show.id == booking.showID })?.show else { continue }
        let isConfirmed = [.party, .single, .matinee, .tomorrow].contains(booking.kind)
        bookings.append(
          Held(id: booking.id, code: booking.code, show: show, seats: booking.count, isConfirmed: isConfirmed))
      }
      station = try await Self.process(venue, .init())
    }

    private static func process(_ venue: TheatreVenue, _ folder: StationFolder) async throws -> TheatreStation {
      try await TheatreStation(at: venue, in: folder, gates: ["stalls": .init(), "circle": .init()])
    }

    // MARK: What happens

    mutating func book() async throws {
      // Beyond 20, which of other days are told would be the service's to choose.
      guard bookings.count < 18, let (_, show) = shows.randomElement(using: &random) else { return }
      let seats = Int.random(in: 1...4, using: &random)
      let made = try await venue.book("EVENING\(10 + bookings.count)", show.id, count: seats)
      bookings.append(Held(id: made.id, code: made.code, show: show, seats: seats, isConfirmed: true))
    }

    mutating func change(_ index: Int) async throws {
      bookings[index].isConfirmed.toggle()
      if bookings[index].isConfirmed { bookings[index].isOver = false }
      try await venue.server.setBooking(
        bookings[index].id, to: bookings[index].isConfirmed ? .confirmed : .cancelled)
    }

    mutating func misbehave() throws {
      let faults = [
        "close=before", "close=after", "close=midway", "reset=before", "reset=after", "status=500", "status=502",
        "status=503", "html", "json=cut", "redirect",
      ]
      let scope = ["lists", "lists", "checks", "sign-ins"].randomElement(using: &random) ?? "lists"
      let fault = faults.randomElement(using: &random) ?? "html"
      try venue.misbehave("\(fault),on=\(scope),next=\(Int.random(in: 1...2, using: &random))")
    }

    mutating func goAway(_ away: Bool) throws {
      isAway = away
      venue.behave()
      if away { try venue.goAway() }
    }

    mutating func refresh() async throws {
      // Who is about to have a place again is not waited for.
      var ration = station.door.memory.ration.state
      guard case .granted = ration.tryTake(.list, number: 0, at: time.now()),
        ration.wait(for: .list, at: time.now()) == nil
      else { return }
      let day = CivilDay.split(time.wall().seconds).day
      let event = await station.refresh()
      switch event.state {
      case .refreshed, .heldBack:
        guard CivilDay.split(time.wall().seconds).day == day else { return forgetListed() }
        listedAt = time.wall()
        let today = "\(day)"
        let isEmpty = !bookings.contains { $0.isConfirmed && $0.show.day == today }
        for index in bookings.indices {
          let isToday = bookings[index].show.day == today
          if bookings[index].isConfirmed, isToday || isEmpty && venue.shape == .real {
            bookings[index].isListed = true
          } else if isToday {
            (bookings[index].isListed, bookings[index].isOver) = (false, true)
          }
        }
      case .partial: forgetListed()
      case .failed, .missing, .fileRefused, .fileTaken: break
      }
    }

    /// What the list has is not known.
    private mutating func forgetListed() { for index in bookings.indices { bookings[index].isListed = false } }

    /// The process ends, and another one begins.
    mutating func restart() async throws {
      let folder = station.folder
      try await station.close()
      station = try await Self.process(venue, folder)
    }

    /// The process is killed while somebody waits at a door.
    mutating func kill(_ index: Int) async throws {
      let (before, code, began) = (station, bookings[index].code, time.wall())
      if !isAway, random.chance(50) { try venue.misbehave("latency=50ms,on=checks,next=1") }
      let pulses = before.pulses(at: "stalls")
      let asking = Task { try await before.present(code) }
      let moment = Duration.microseconds(Int.random(in: 0...8_000, using: &random))
      if random.chance(80) { try await Task.sleep(for: moment) }
      let hasOpened = before.pulses(at: "stalls") > pulses
      let left = try before.folder.left()
      let scan = try await asking.value
      judge(scan, bookings[index], began, passes: 1)
      if hasOpened {
        bookings[index].passed += 1
      } else if scan.verdict == .admit {
        bookings[index].mayBeKept += 1
      }
      checkSeats(index, "killed, \(scan)")
      try await before.close()
      station = try await Self.process(venue, left)
    }

    // MARK: What is promised

    /// Somebody shows a code, or two at both doors at once.
    mutating func present(_ index: Int) async throws {
      let (booking, began, station) = (bookings[index], time.wall(), station)
      var scans: [DecidedScan]
      if random.chance(20) {
        async let stalls = station.present(booking.code, at: "stalls")
        async let circle = station.present("LML-\(booking.code)", at: "circle")
        scans = try await [stalls, circle]
      } else {
        scans = [try await station.present(booking.code, at: random.chance(50) ? "stalls" : "circle")]
      }
      let passes = scans.count { $0.verdict == .admit }
      for scan in scans { judge(scan, booking, began, passes: passes) }
      bookings[index].passed += passes
      admitted += passes
      checkSeats(index, "\(scans)")
    }

    private func checkSeats(_ index: Int, _ words: String) {
      let booking = bookings[index]
      expect(booking.passed <= booking.seats, "seed \(seed): more than its seats: \(booking), \(words)")
    }

    private func judge(_ scan: DecidedScan, _ booking: Held, _ began: WallTime, passes: Int) {
      let words = "seed \(seed), \(venue.seeded.zone): \(booking) at \(began.iso8601Seconds), \(scan)"
      if scan.verdict == .admit {
        expect(booking.show.mayBeOpen(at: began), "outside of its hours: \(words)")
        expect(!booking.isOver || booking.isConfirmed, "on a booking that is over: \(words)")
        return
      }
      guard booking.isListed, booking.isConfirmed, booking.show.isOpen(at: began),
        let listedAt, began - listedAt < .seconds(12 * 3_600 - 10)
      else { return }
      let left = booking.seats - booking.passed - booking.mayBeKept - passes
      if left > 0 { expect(false, "kept out although on the list: \(words)") }
      // Whoever comes too many is told why.
      expect(scan.verdict == .refuse(.alreadyUsed), "not for its seats: \(words)")
    }
  }

  @Test(arguments: [UInt64](1...UInt64(extent(landing: 6, release: 120)))) func everyPromiseHolds(seed: UInt64)
    async throws
  {
    let night = Self.nights[Int(seed) % Self.nights.count]
    let zone = try #require(TimeZone(identifier: night.zone))
    // 13:35 at the venue: doors of the matinee have just been opened.
    let local = try #require(WallTime(iso8601: "\(night.day)T13:35:00Z"))
    let start =
      local
      - .seconds(zone.secondsFromGMT(for: Date(timeIntervalSince1970: Double(local.seconds))))
    let shape = (seed + seed / 6) % 2 == 0 ? BookingShape.document : .real
    try await TheatreVenue.run(shape, at: start.iso8601Seconds, zone: night.zone) { venue in
      var evening = try await Evening(venue, seed: seed, next: night.next, late: night.late)
      try await evening.refresh()
      let matinee = try venue.code(.matinee)
      try await evening.present(try #require(evening.bookings.firstIndex { $0.code == matinee }))
      expect(evening.admitted > 0, "seed \(seed): nothing was proven")
      for _ in 0..<extent(landing: 30, release: 60) {
        let longest = [60, 600, 1_800].randomElement(using: &evening.random) ?? 60
        venue.time.advance(by: .seconds(Int.random(in: 11...longest, using: &evening.random)))
        let index = evening.bookings.indices.randomElement(using: &evening.random) ?? 0
        switch Int.random(in: 0..<100, using: &evening.random) {
        case 0..<14: try await evening.book()
        case 14..<26: try await evening.change(index)
        case 26..<36: try evening.misbehave()
        case 36..<41: try evening.goAway(!evening.isAway)
        case 41..<65: try await evening.refresh()
        case 65..<68: try await venue.server.endBookingSessions()
        case 68..<72: try await evening.restart()
        case 72..<80: try await evening.kill(index)
        default: break
        }
        // Each of them is whoever comes; those of the show that is on come more often.
        let now = venue.time.wall()
        let due = evening.bookings.indices.filter { evening.bookings[$0].show.isOpen(at: now) }
        for _ in 0..<2 {
          let usual = due.randomElement(using: &evening.random)
          try await evening.present(evening.random.chance(70) ? usual ?? index : index)
          venue.time.advance(by: .seconds(11))
        }
      }
      try await evening.station.close()
    }
  }
}
