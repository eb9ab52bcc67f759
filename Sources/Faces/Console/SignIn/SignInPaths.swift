import ScanModel
import WireText

/// Where one signs in and out, and to where one goes on from there.
enum SignInPaths {
  static let signIn = "/sign-in"
  static let signOut = "/sign-out"
  static let sessions = "/sessions"
  static let device = "/device"

  /// Where whoever asks for `path` signs in: back to it afterwards.
  static func signIn(for path: String) -> String {
    onward(path).map { "\(signIn)?next=\(PercentCoding.encode($0))" } ?? signIn
  }

  /// A path of ours to go on to; `nil` for what leads elsewhere, or needs no way back.
  static func onward(_ path: String?) -> String? {
    guard let path, path.utf8.count <= 600, path != "/", path.hasPrefix("/"), !path.hasPrefix("//"),
      path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !"\\?#\"<>".utf8.contains($0) }),
      !path.split(separator: "/").contains(where: { $0 == ".." || $0 == "." })
    else { return nil }
    let first = path.dropFirst().prefix { $0 != "/" }
    return ["door", "attendant", "technician", "organiser", "sessions"].contains(String(first)) ? path : nil
  }

  /// The value of `next=` of a query.
  static func next(in query: String?) -> String? {
    for part in (query ?? "").split(separator: "&") where part.hasPrefix("next=") {
      let value = PercentCoding.decode(part.dropFirst(5).utf8).flatMap { String(validating: $0, as: UTF8.self) }
      return onward(value)
    }
    return nil
  }
}
