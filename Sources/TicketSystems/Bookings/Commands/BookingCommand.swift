package import ArgumentParser

/// `scangate booking`: what a box office does from a terminal.
package struct BookingCommand: AsyncParsableCommand {
  package static let configuration = CommandConfiguration(
    commandName: "booking",
    abstract: "The box office at a booking service: accounts, shows, seats, payments, bookings, and the door list.",
    discussion: """
      Shows and seats are for anybody; who reserves for an account, or looks at its bookings, signs in first. Passwords are asked for \
      without showing them, or read from a pipe. See docs/bookings.md.
      """,
    subcommands: [
      SignUpCommand.self, SignInCommand.self, SignOutCommand.self, WhoAmICommand.self, VerifyEmailCommand.self,
      ResendCommand.self, PasswordCommand.self, ShowsCommand.self, ShowCommand.self, SeatsCommand.self,
      SeatMapCommand.self, ReserveCommand.self, ConfirmPaymentCommand.self, UserBookingsCommand.self,
      DoorListCommand.self,
      CheckBookingCommand.self,
    ])

  package init() {}
}
