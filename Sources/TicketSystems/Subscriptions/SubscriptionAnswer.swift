internal import ScanModel
internal import TicketTransport
internal import WireText

/// What an answer to `GET /apple/subs/ID` says, whoever asked for it. Pure.
enum SubscriptionAnswer: Sendable, Equatable {
  /// The subscription that was asked for, at a moment by the server's clock where it tells that.
  case told(Subscription, at: WallTime?)
  /// There is none.
  case unknown(String?)
  /// The API's own word, and none that can be used: what it vouched for before it does no more.
  case broken(String)
  /// Nothing that could be believed.
  case undecided(UndecidedReason, String)

  /// Before this day nobody was asked: a server that says so has no clock.
  private static let earliest = WallTime(seconds: 1_577_836_800)

  /// Judges an answer of the server called `host`.
  /// - Parameters:
  ///   - id: what was asked for.
  ///   - secrets: what the server's text must not show, should it repeat it.
  ///   - words: which settings to look at.
  init(_ answer: HTTPAnswer, of id: SubscriptionID, host: String, hiding secrets: [Redaction], words: ServerWords) {
    if let words = answer.cacheWords(host: host) {
      self = .undecided(.badAnswer, words)
      return
    }
    switch answer.status {
    case 200: self = Self.told(answer, id, host, words)
    case 404 where answer.message != nil:
      self = .unknown(StaffText.clean(answer.message ?? "", hiding: secrets))
    default:
      let fault = Self.fault(answer, host: host, hiding: secrets, words: words)
      self = .undecided(fault.reason, fault.detail)
    }
  }

  private static func told(
    _ answer: HTTPAnswer, _ id: SubscriptionID, _ host: String, _ words: ServerWords
  ) -> SubscriptionAnswer {
    func bad(_ what: String) -> SubscriptionAnswer {
      .undecided(.badAnswer, "\(host) answered 200, but \(what). \(words.addressCure)")
    }
    guard answer.isJSON else { return bad("not as JSON: a firewall, proxy or portal may have answered in its place") }
    guard let document = try? JSONValue(answer.body) else { return bad("its JSON cannot be read") }
    func broken(_ what: String) -> SubscriptionAnswer {
      .broken("\(host) answered 200, but \(what). \(words.addressCure)")
    }
    let subscription: Subscription
    do throws(Subscription.Fault) {
      subscription = try Subscription(document)
    } catch {
      return broken("with no subscription: \(error.words)")
    }
    guard subscription.id == id else { return broken("with another subscription than was asked for") }
    if let date = answer.serverDate, date < earliest {
      return .undecided(.clockWrong, "\(host) says that it is \(date.iso8601Seconds). Put its clock right.")
    }
    return .told(subscription, at: answer.serverDate)
  }

  /// What says nothing of a subscription: the key, the way to the server, the server itself.
  static func fault(
    _ answer: HTTPAnswer, host: String, hiding secrets: [Redaction], words: ServerWords
  ) -> (reason: UndecidedReason, detail: String) {
    let said = answer.message.flatMap { StaffText.clean($0, hiding: secrets) }.map { ": “\($0)”" } ?? ""
    switch answer.status {
    case _ where answer.refusesToken:
      return (.keyRefused, "\(host) does not take our access token (\(answer.status))\(said). \(words.keyCure)")
    case 429:
      return (.rateLimited, "\(host), or what stands before it, gets more requests than it allows (429).")
    case 408, 500...599: return (.unreachable, "\(host) is out of order (\(answer.status)).")
    case 300...399:
      return (
        .badAnswer,
        "\(host) wants to send us elsewhere (\(answer.status)). The address in the configuration must be the final one. "
          + words.addressCure
      )
    default:
      return (
        .badAnswer,
        "\(host) answered \(answer.status), which is no answer of the subscription API\(said)"
          + (answer.isJSON
            ? ". " : ": a firewall, proxy or portal may have answered in its place. Check the way to it. ")
          + words.addressCure
      )
    }
  }
}

extension HTTPAnswer {
  /// The text of an error in the API's own form: JSON with a `message`; `nil` for everything else.
  var message: String? {
    guard (400...499).contains(status), isJSON, let text = (try? JSONValue(body))?["message"]?.string,
      text.contains(where: { !$0.isWhitespace })
    else { return nil }
    return text
  }

  /// Whether the API itself says that it does not take our token: with one of these statuses, and in words about the token. Whoever
  /// stands in between has other words.
  var refusesToken: Bool {
    guard status == 401 || status == 403, let words = message?.lowercased() else { return false }
    return words.contains("access token") || words.contains("no longer active") || words.contains("token is expired")
  }

  /// Whether the API itself misses the user whose list was asked for: the token is good. Servers word that in several ways, one of which names no
  /// user (`Requires authorization.`): so it is whatever a 401 of the API says that is not about the token.
  var missesUser: Bool {
    guard let words = message?.lowercased(), !Self.tokenWords.contains(where: { words.contains($0) }) else {
      return false
    }
    // The status in words says nothing of what is missed; whoever stands in between knows no others.
    if status == 401 { return !["unauthorized", "unauthorised"].contains(words.filter(\.isLetter)) }
    return (status == 400 || status == 403) && words.contains("user")
  }

  /// That the server did not answer itself, and what to do; `nil` where it did.
  func cacheWords(host: String) -> String? {
    let age = headers["Age"]
    guard headers.has("Age"), age.flatMap({ Int64($0) }) != 0 else { return nil }
    let shown = StaffText.clean(age ?? "") ?? ""
    return "\(host) did not answer itself: what came is from a cache on the way (Age: \(shown)). Have it let "
      + "through what is asked with an Authorization header."
  }

  /// Whether an answer to a refresh shows that the store was asked and has answered. Whoever could not ask it, as it has
  /// lost the receipt (404), or stands in between, has learnt nothing of a renewal.
  var hasLooked: Bool {
    guard cacheWords(host: "") == nil else { return false }
    return switch status {
    case 200...299: isJSON
    case 422:
      message != nil
        && ((try? JSONValue(body))?["error"]?["field"]?.string).map { Self.storeFields.contains($0) } ?? false
    default: false
    }
  }

  /// What is wrong with a store's answer that did come.
  private static let storeFields = ["bundle_id", "latest_receipt_info"]

  /// What a message about our token has in it.
  private static let tokenWords = ["token", "credential", "bearer", "authenticat", "api key", "no longer active"]
}
