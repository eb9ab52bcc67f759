import ArgumentParser
import LinuxIO
import ScanModel
import TicketSystemKit
package import VenueServer

extension VenueCommand {
  /// `scangate venue subscription`
  struct Subscription: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "subscription", abstract: "What the shop of a serving venue sells, and who may ask its service.",
      discussion: """
        A time is one such as 2026-01-31T18:00:00Z, or one from now on such as 30d or -5min. See docs/venue.md.
        """,
      subcommands: [Add.self, Expire.self, Renew.self, Refund.self, Token.self, List.self])

    /// `scangate venue subscription add`
    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Sell a subscription, and print its id.",
        discussion: """
          The service knows it at once; with --unknown it learns of it by the receipt alone, as when somebody has just bought it.
          """)

      @OptionGroup var socket: VenueSocket

      @Option(help: ArgumentHelp("Its id, 8 to 20 digits; without it, a fresh one.", valueName: "digits"))
      var id: String?

      @Option(help: "What it entitles to.")
      var tier = MemberTier.standard

      @Option(help: "How long one payment lasts: month or year. Premium is sold by the year alone.")
      var cycle: MemberCycle?

      @Option(help: "Where it is bought: Production, or Sandbox by a test account.")
      var environment = ShopEnvironment.production

      @Option(
        parsing: .unconditional, help: ArgumentHelp("When it was paid for; usually now.", valueName: "time"))
      var purchased: String?

      @Option(
        parsing: .unconditional,
        help: ArgumentHelp("When it ends; usually one cycle after it was paid for.", valueName: "time"))
      var expires: String?

      @Flag(help: "It is not set to renew.")
      var final = false

      @Flag(help: "The service does not know it yet.")
      var unknown = false

      @Option(
        help: ArgumentHelp(
          "What the shop says of its receipt: valid, other-app, empty, not-json, no-receipt, or a status such as 21005.",
          valueName: "answer"),
        transform: { text in
          guard let answer = ShopAnswer(text) else {
            throw ValidationError(
              "the shop says valid, other-app, empty, not-json, no-receipt, or a status from 21000 to 21199; it got \(text)"
            )
          }
          return answer
        })
      var answer = ShopAnswer.valid

      @Option(
        help: ArgumentHelp("A file that its receipt is written to, readable by you alone.", valueName: "file"),
        completion: .file())
      var receipt: String?

      func run() async throws {
        let made = try await socket.client.sell(
          NewSubscription(
            id: id, environment: environment, tier: tier, cycle: cycle, purchased: purchased, expires: expires,
            renews: !final, answer: answer, isKnown: !unknown))
        if let receipt {
          try Result { () throws(SystemError) in try KeyFile.write(made.receipt, to: receipt) }
            .mapError { failure("\(receipt): \($0.words). Name a new file in a folder that you can write to.") }.get()
        }
        Terminal.out(made.id)
      }
    }

    /// `scangate venue subscription expire`
    struct Expire: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "expire", abstract: "Have a subscription end, a second ago or at another time.")

      @OptionGroup var socket: VenueSocket

      @Option(parsing: .unconditional, help: ArgumentHelp("When it ends.", valueName: "time"))
      var at: String?

      @Flag(help: "It is set to renew no more.")
      var final = false

      @Argument(help: "The subscription's id.")
      var id: String

      func run() async throws {
        try await socket.client.expireSubscription(id, at: at, isFinal: final)
      }
    }

    /// `scangate venue subscription renew`
    struct Renew: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "renew", abstract: "Have a subscription paid for again at the shop.",
        discussion: """
          The service learns of it when it is asked to refresh the subscription; with --told the shop tells it by itself.
          """)

      @OptionGroup var socket: VenueSocket

      @Option(
        parsing: .unconditional,
        help: ArgumentHelp("The new end; usually one cycle later, or as many as lead past now.", valueName: "time"))
      var until: String?

      @Flag(help: "The shop tells the service by itself.")
      var told = false

      @Argument(help: "The subscription's id.")
      var id: String

      func run() async throws {
        try await socket.client.renewSubscription(id, until: until, isTold: told)
      }
    }

    /// `scangate venue subscription refund`
    struct Refund: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "refund",
        abstract: "Give the last payment of a subscription back: it renews no more, and its end stays.")

      @OptionGroup var socket: VenueSocket

      @Argument(help: "The subscription's id.")
      var id: String

      func run() async throws { try await socket.client.refundSubscription(id) }
    }

    /// `scangate venue subscription token`
    struct Token: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "token", abstract: "Give an access token, or refuse all that were given.",
        discussion: """
          The token is told once. With --file it is the one in the file, which is made where there is none; one that was refused is \
          good again.
          """)

      @OptionGroup var socket: VenueSocket

      @Option(help: ArgumentHelp("The file that holds the token, or shall hold it.", valueName: "file"))
      var file: String?

      @Flag(help: "Refuse all tokens that were given: they are not known any more.")
      var revoke = false

      @Flag(help: "Refuse all tokens that were given: they are over.")
      var expire = false

      func validate() throws {
        guard [file != nil, revoke, expire].count(where: { $0 }) <= 1 else {
          throw ValidationError("Give one of --file, --revoke and --expire.")
        }
      }

      func run() async throws {
        if revoke || expire { return try await socket.client.changeAccessTokens(revoke ? .revoked : .expired) }
        let known = try file.flatMap(TokenFile.read)
        let token = try await socket.client.issueAccessToken(known)
        guard let file else { return Terminal.out(token) }
        if known == nil { try TokenFile.write(token, to: file) }
        Terminal.out("The access token is in \(TerminalText.clean(file)).")
      }
    }

    /// `scangate venue subscription list`
    struct List: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Print what was sold, a line of JSON each, as the service and the shop know it.")

      @OptionGroup var socket: VenueSocket

      func run() async throws {
        for line in try await socket.client.soldSubscriptions() { Terminal.out(line) }
      }
    }
  }

  /// `scangate venue membership`
  struct Membership: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "membership", abstract: "Accounts of a serving venue's subscription service.",
      subcommands: [Add.self])

    /// `scangate venue membership add`
    struct Add: AsyncParsableCommand {
      static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Make an account known, with its membership in the place of one that it had.",
        discussion: "Without --tier the account has none.")

      @OptionGroup var socket: VenueSocket

      @Option(help: "What the membership entitles to.")
      var tier: MemberTier?

      @Option(help: "How long one payment lasts.")
      var cycle = MemberCycle.year

      @Option(help: ArgumentHelp("Its last day; usually one cycle from today.", valueName: "YYYY-MM-DD"))
      var expires: String?

      @Option(help: "How it was paid for; without it, somebody has written it by hand.")
      var paid: PayMethod?

      @Flag(help: "It is set to renew.")
      var renews = false

      @Flag(help: "It is for life.")
      var vip = false

      @Option(help: ArgumentHelp("Days of standard that follow when it has ended.", valueName: "days"))
      var standardAddOn = 0

      @Option(help: ArgumentHelp("Days of premium that follow when it has ended.", valueName: "days"))
      var premiumAddOn = 0

      @Argument(help: "The account's id.")
      var ftcID: String

      func run() async throws {
        try await socket.client.addMembership(
          NewMembership(
            ftcID: ftcID, tier: tier, cycle: cycle, expires: expires, payMethod: paid, renews: renews, isVIP: vip,
            standardAddOn: standardAddOn, premiumAddOn: premiumAddOn))
      }
    }
  }
}

/// Files of one line that hold a secret of the venue's.
enum TokenFile {
  /// The secret in a file; `nil` when there is no such file.
  static func read(_ path: String) throws -> String? {
    do throws(SystemError) {
      switch try KeyFile.read(path) {
      case .absent: return nil
      case .key(let key): return key
      }
    } catch {
      throw failure("\(path) cannot be read: \(error.words). Name a file that you can read, or one that is not there.")
    }
  }

  static func write(_ secret: String, to path: String) throws {
    try Result { () throws(SystemError) in try KeyFile.write(secret, to: path) }
      .mapError { failure("\(path): \($0.words). Name a file in a folder that you can write to.") }.get()
  }
}

extension MemberTier: ExpressibleByArgument {}
extension MemberCycle: ExpressibleByArgument {}
extension ShopEnvironment: ExpressibleByArgument {}
extension PayMethod: ExpressibleByArgument {}
