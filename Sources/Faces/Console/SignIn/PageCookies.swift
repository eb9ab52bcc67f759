import HTTPTypes

/// The cookies of the pages. `__Host-` has browsers take them from this host alone, for all of its paths, and over TLS alone; a browser
/// that is on this machine takes them over plain HTTP as well, as Chromium and Firefox hold loopback to be safe.
enum PageCookie: String, Sendable, CaseIterable {
  /// Who has signed in: until the browser ends, and no longer than a session.
  case session = "__Host-scangate"
  /// A door screen: a year.
  case device = "__Host-scangate-device"
  /// Who is about to sign in: what the form of that page is bound to.
  case visit = "__Host-scangate-visit"

  /// What a request shows by it; `nil` where that is nothing, has not the form of one, or is there twice.
  func value(in request: HTTPRequest) -> String? {
    var found: String?
    for field in request.headerFields[values: .cookie] {
      for pair in field.split(separator: ";") {
        let text = pair.drop { $0 == " " }
        guard text.hasPrefix("\(rawValue)=") else { continue }
        guard found == nil else { return nil }
        found = String(text.dropFirst(rawValue.count + 1))
      }
    }
    return found.flatMap { PageSecret.isOne($0) ? $0 : nil }
  }

  /// The field that has a browser show `secret` from now on.
  func setting(_ secret: String) -> String {
    let age = self == .device ? "; Max-Age=\(PageDevice.life.components.seconds)" : ""
    return "\(rawValue)=\(secret); Path=/; Secure; HttpOnly; SameSite=Strict\(age)"
  }

  /// The field that has a browser forget it.
  var ending: String { "\(rawValue)=; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=0" }
}

extension HTTPFields {
  /// Adds a cookie to those that an answer sets.
  mutating func add(cookie: String) { append(HTTPField(name: .setCookie, value: cookie)) }
}
