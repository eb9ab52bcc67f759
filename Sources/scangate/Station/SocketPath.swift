import ArgumentParser
import Glibc

/// The path of a socket, as somebody types it.
enum SocketPath {
  /// The longest that the kernel takes (unix(7)).
  private static let longest = 107

  /// What the kernel is given: a relative path is one of the working folder; `@name` is an abstract address.
  /// - Throws: that it can be no socket's, in words.
  @Sendable static func resolved(_ path: String) throws -> String {
    var whole = path
    if let first = path.first, first != "/", first != "@" {
      guard let folder = getcwd(nil, 0) else { throw ValidationError("there is no working folder: write a whole path") }
      defer { free(folder) }
      var rest = path[...]
      while rest.hasPrefix("./") { rest = rest.dropFirst(2) }
      let place = String(cString: folder)
      whole = place == "/" ? "/\(rest)" : "\(place)/\(rest)"
    }
    guard whole.utf8.count >= 2 else { throw ValidationError("write the path of a socket") }
    guard whole.utf8.count <= longest else {
      throw ValidationError(
        "a socket's path has at most \(longest) bytes, and \(whole) has \(whole.utf8.count): choose a shorter one")
    }
    return whole
  }
}
