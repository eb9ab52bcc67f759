import HTTPTypes

/// Why somebody gets no page, or an order from one is not given.
enum PageRefusal: String, Error, Sendable, CaseIterable {
  /// Nobody knows who asks: it may sign in.
  case signIn
  /// The page is for others.
  case role
  /// This door screen is another gate's.
  case gate
  /// It comes from a page of somebody else's.
  case origin
  /// The form is another session's, of a former one, or was not made here.
  case form
  /// It is no form that can be read.
  case malformed

  var status: HTTPResponse.Status {
    switch self {
    case .signIn: .unauthorized
    case .role, .gate, .origin, .form: .forbidden
    case .malformed: .badRequest
    }
  }

  /// For people, in English.
  var words: String {
    switch self {
    case .signIn: "Sign in to see this page."
    case .role: "This page is not for you. Sign in as somebody else."
    case .gate: "This screen is for another gate. Ask whoever set it up."
    case .origin: "This came from a page of another host, so nothing was done. Open the page here, and try again."
    case .form: "This page was too old, so nothing was done. Load it again, and try again."
    case .malformed: "The form cannot be read, so nothing was done. Load the page again, and try again."
    }
  }
}
