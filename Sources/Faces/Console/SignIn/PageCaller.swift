/// What somebody is to the console's pages. The raw values are the words of the users' file.
package enum PageRole: String, Sendable, Hashable, CaseIterable {
  /// A door screen, or this machine's own browser: it is shown one door, and orders nothing.
  case door
  case attendant
  case technician
  case organiser

  /// Whether who has this role may what `other` may: a technician all that an attendant may, and everybody look at a door.
  package func includes(_ other: PageRole) -> Bool {
    switch (self, other) {
    case (_, .door), (.technician, .attendant): true
    default: self == other
    }
  }
}

/// Who asks for a page.
struct PageCaller: Sendable, Hashable {
  /// How it was found out who it is.
  enum Sign: Sendable, Hashable {
    /// It is this machine, and showed nothing.
    case loopback
    /// A door screen, by its number.
    case device(String)
    /// A user who has signed in, by the session's number; it opens nothing.
    case session(String)
  }

  /// The user's name, the door screen's, or `loopback`; what an order has as `who`.
  var name: String
  var role: PageRole
  /// The language that its pages are in; `nil` for what file and browser say.
  var language: String?
  var sign: Sign
  /// The only gate that it is shown; `nil` for any.
  var gate: String?

  /// This machine's own browser.
  static let loopback = PageCaller(name: "loopback", role: .door, sign: .loopback)
}

extension ConsoleContext {
  /// Who asks for this page, if one of these roles is enough.
  /// - Throws: what whoever asks is answered: that it may sign in, or that this page is not for it.
  @discardableResult
  func requires(_ roles: PageRole...) throws(PageRefusal) -> PageCaller {
    guard let pageCaller else { throw .signIn }
    guard roles.contains(where: pageCaller.role.includes) else {
      // Who has shown nothing yet may do so; who has is told.
      throw pageCaller.sign == .loopback ? .signIn : .role
    }
    return pageCaller
  }

  /// Who asks for a page of one gate, where it may see that one.
  @discardableResult
  func requires(_ roles: PageRole..., at gate: String) throws(PageRefusal) -> PageCaller {
    guard let pageCaller else { throw .signIn }
    guard roles.contains(where: pageCaller.role.includes) else {
      throw pageCaller.sign == .loopback ? .signIn : .role
    }
    guard pageCaller.gate == nil || pageCaller.gate == gate else { throw .gate }
    return pageCaller
  }
}
