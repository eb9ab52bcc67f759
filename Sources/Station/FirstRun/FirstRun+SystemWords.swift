internal import TicketSystemKit

// What the questions of ticket systems are called: these know no language.

extension TicketSystemForm.Subject {
  var word: FirstRunWord {
    switch self {
    case .tickets: .kindTickets
    case .members: .kindMembers
    case .shows: .kindShows
    }
  }
}

extension TicketSystemForm.Secret {
  var title: FirstRunWord {
    switch self {
    case .apiKey: .keyTitleApiKey
    case .accessToken: .keyTitleAccessToken
    case .password: .keyTitlePassword
    }
  }

  var field: FirstRunWord {
    switch self {
    case .apiKey: .keyFieldApiKey
    case .accessToken: .keyFieldAccessToken
    case .password: .keyFieldPassword
    }
  }
}

extension TicketSystemQuestion {
  var title: FirstRunWord {
    switch self {
    case .passKeys: .detailTitlePassKeys
    case .venue: .detailTitleVenue
    case .venueName: .detailTitleVenueName
    case .zone: .detailTitleZone
    case .account: .detailTitleAccount
    case .website: .detailTitleWebsite
    }
  }

  var explanation: FirstRunWord {
    switch self {
    case .passKeys: .detailWordsPassKeys
    case .venue: .detailWordsVenue
    case .venueName: .detailWordsVenueName
    case .zone: .detailWordsZone
    case .account: .detailWordsAccount
    case .website: .detailWordsWebsite
    }
  }

  var field: FirstRunWord {
    switch self {
    case .passKeys: .detailFieldPassKeys
    case .venue: .detailFieldVenue
    case .venueName: .detailFieldVenueName
    case .zone: .detailFieldZone
    case .account: .detailFieldAccount
    case .website: .detailFieldWebsite
    }
  }

  /// Why an answer can be none.
  var refusal: FirstRunWord {
    switch self {
    case .passKeys: .detailRefusalPassKeys
    case .venue: .detailRefusalVenue
    case .venueName: .detailRefusalVenueName
    case .zone: .detailRefusalZone
    case .account: .detailRefusalAccount
    case .website: .detailRefusalWebsite
    }
  }
}
