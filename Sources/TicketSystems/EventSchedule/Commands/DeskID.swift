internal import ArgumentParser

/// What names one thing in a path. Without it the call would be another one: that of all of them.
enum DeskID {
  /// An id as it was typed.
  /// - Throws: that it is none, before anything is sent: a shell's variable that is not set is an empty one.
  static func read(_ text: String) throws -> String {
    let bare = text.filter { !$0.isWhitespace }
    guard !["", ".", ".."].contains(bare) else {
      throw ValidationError("That is no id: nothing was sent. Where it comes from a variable, that one is not set.")
    }
    return text
  }
}
