import ArgumentParser
package import VenueServer

extension VenueCommand {
  /// `scangate venue booking`
  struct Booking: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "booking", abstract: "What is booked, paid and played at a serving venue's theatre.",
      discussion: "A show is named by its id, by what it was seeded as (matinee, night, …) or by its title.",
      subcommands: [Add.self, Cancel.self, Show.self, Pay.self, AddShow.self, Mail.self, SignOut.self])

    /// `scangate venue booking add`
    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make a booking, and print its code.")

      @OptionGroup var socket: VenueSocket

      @Option(help: "The show.")
      var show = "night"

      @Option(help: ArgumentHelp("Its seats, with commas between: F12,F13.", valueName: "seats"))
      var seats: String?

      @Option(help: "How many it admits, without seats of its own; usually one.")
      var count: Int?

      @Option(help: "Who books.")
      var customer = "A Guest"

      @Option(help: "The buyer's address; without it, a made one.")
      var email: String?

      @Option(help: "Its code; without it, a fresh one. Another booking may have the same.")
      var code: String?

      @Option(help: "What it is worth.")
      var status = BookingStatus.confirmed

      @Flag(help: "Print a line of JSON with its id as well.")
      var json = false

      func validate() throws {
        guard seats == nil || count == nil else { throw ValidationError("Give --seats or --count.") }
      }

      func run() async throws {
        let made = try await socket.client.addBooking(
          NewBooking(
            show: show, seats: seats?.split(separator: ",").map { String($0) } ?? [], count: count, customer: customer,
            email: email, code: code, status: status))
        Terminal.out(json ? #"{"id":"\#(made.id)","code":"\#(made.code)"}"# : made.code)
      }
    }

    /// `scangate venue booking cancel`
    struct Cancel: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a booking, or give it another status.",
        discussion: "Seats of one that is cancelled or expired are for sale again.")

      @OptionGroup var socket: VenueSocket

      @Option(help: "What it is worth from now on.")
      var status = BookingStatus.cancelled

      @Argument(help: "Its code, or its id.")
      var booking: String

      func run() async throws { try await socket.client.setBooking(booking, to: status) }
    }

    /// `scangate venue booking show`
    struct Show: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "show", abstract: "Print the bookings, shows or checkouts, a line of JSON each.",
        discussion: "Whole codes are in it, which open doors: treat it as tickets.")

      @OptionGroup var socket: VenueSocket

      @Argument(help: "What is printed.")
      var list = VenueServer.TheatreList.usual

      func run() async throws {
        for line in try await socket.client.theatre(list) { Terminal.out(line) }
      }
    }

    /// `scangate venue booking pay`
    struct Pay: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "pay", abstract: "Have somebody pay at a checkout page.",
        discussion: "The booking is made when the service is asked about the session.")

      @OptionGroup var socket: VenueSocket

      @Option(help: "What comes of it: paid; processing, where the service has not come to it yet; or failed.")
      var state = CheckoutState.paid

      @Option(help: "Who pays.")
      var customer = "A Guest"

      @Option(help: "The payer's address.")
      var email: String?

      @Argument(help: "The checkout session's id.")
      var session: String

      func run() async throws {
        try await socket.client.pay(session: session, state, customer: customer, email: email)
      }
    }

    /// `scangate venue booking add-show`
    struct AddShow: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "add-show", abstract: "Put a show on, and print its id.",
        discussion: """
          Day and time are told as they are given, be they 0000-00-00 and 24:00:00. Without them they follow from --starts, a time such \
          as 2026-01-31T18:00:00Z, or one from now on such as 30min.
          """)

      @OptionGroup var socket: VenueSocket

      @Option(help: "Its title.")
      var title: String

      @Option(help: ArgumentHelp("Its day at the venue.", valueName: "YYYY-MM-DD"))
      var date: String?

      @Option(help: ArgumentHelp("When clocks at the venue let it begin.", valueName: "HH:MM:SS"))
      var time: String?

      @Option(parsing: .unconditional, help: ArgumentHelp("When it begins.", valueName: "time"))
      var starts = "30min"

      @Option(
        parsing: .unconditional, help: ArgumentHelp("What each seat costs; may be negative.", valueName: "pence"))
      var price: Int?

      @Flag(help: "It has no seat map.")
      var unseated = false

      @Flag(help: "It is at another venue.")
      var elsewhere = false

      func run() async throws {
        Terminal.out(
          try await socket.client.addShow(
            NewShow(
              title: title, date: date, time: time, starts: starts, pence: price, hasSeatMap: !unseated,
              isElsewhere: elsewhere)))
      }
    }

    /// `scangate venue booking mail`
    struct Mail: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "mail", abstract: "Print what the last mails to an account would have brought, as a line of JSON.",
        discussion: "Those are tokens: whoever has one verifies the address, or sets another password.")

      @OptionGroup var socket: VenueSocket

      @Argument(help: "The account's address.")
      var email: String

      func run() async throws { Terminal.out(try await socket.client.bookingMail(to: email)) }
    }

    /// `scangate venue booking sign-out`
    struct SignOut: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "sign-out", abstract: "Have all sessions at the door end, as between two calls.")

      @OptionGroup var socket: VenueSocket

      func run() async throws { try await socket.client.endBookingSessions() }
    }
  }
}

extension BookingShape: ExpressibleByArgument {}
extension BookingStatus: ExpressibleByArgument {}
extension CheckoutState: ExpressibleByArgument {}
extension VenueServer.TheatreList: ExpressibleByArgument {}

/// The theatre of a venue that is about to serve.
struct TheatreArguments: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Be a booking service as well: as its document has it, or as the real one answers. Its theatre comes with --seed.",
      valueName: "shape"))
  var bookings: BookingShape?

  @Option(
    help: ArgumentHelp(
      "The file that holds the password of the theatre's staff, or shall hold it. Without it a fresh one is printed once.",
      valueName: "file"))
  var staffPasswordFile: String?

  @Option(
    help: ArgumentHelp("The zone of the theatre, such as Europe/London; usually this machine's.", valueName: "zone"))
  var theatreZone: String?

  /// Which booking service the venue passes for.
  var shape: BookingShape? { bookings }

  /// Refuses what goes with nothing.
  func check(seed: Bool) throws {
    guard staffPasswordFile == nil && theatreZone == nil || bookings != nil && seed else {
      throw ValidationError("--staff-password-file and --theatre-zone are of --bookings with --seed.")
    }
  }

  /// Seeds it, and tells what there is to try.
  func prepare(_ venue: VenueServer) async throws {
    guard bookings != nil else { return }
    let known = try staffPasswordFile.flatMap(TokenFile.read)
    let seeded = try await venue.seedTheatre(zone: theatreZone, staffPassword: known)
    Terminal.out("Theatre: venue id \(seeded.venueID), slug \(seeded.slug), zone \(seeded.zone)")
    for show in seeded.shows {
      Terminal.out("  \(padded(show.kind.rawValue))\(show.date) \(show.time)  \(show.title)  \(show.id)")
    }
    Terminal.out("Booked:")
    for booking in SeededBooking.Kind.allCases.compactMap(seeded.booking) {
      Terminal.out("  \(padded(booking.kind.rawValue))\(padded(booking.code))\(booking.customer), \(booking.count)")
    }
    Terminal.out("Buyer: \(seeded.buyerEmail), password, told once: \(seeded.buyerPassword)")
    guard let file = staffPasswordFile else {
      return Terminal.out("Staff: \(seeded.staffEmail), password, told once: \(seeded.staffPassword)")
    }
    if known == nil { try TokenFile.write(seeded.staffPassword, to: file) }
    Terminal.out("Staff: \(seeded.staffEmail), whose password is in \(file).")
  }

  private func padded(_ text: String) -> String { text + String(repeating: " ", count: max(1, 16 - text.count)) }
}
