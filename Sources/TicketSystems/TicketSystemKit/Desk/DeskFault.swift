/// Why a desk has not got what it asked for.
package enum DeskFault: Error, Equatable {
  /// The server has no such call: nothing was done, and another way may lead there.
  case noWay(String)
  /// The server refused: nothing was done.
  case refused(status: Int, String)
  /// Nothing was sent, or nothing came back on what changes nothing.
  case unavailable(String)
  /// It was sent, and may have been done.
  case unclear(String)

  /// What happened, and what to do.
  package var words: String {
    switch self {
    case .noWay(let words), .refused(_, let words), .unavailable(let words), .unclear(let words): words
    }
  }

  /// The status that the program ends with.
  package var exit: Int32 {
    switch self {
    case .refused: DeskExit.refused
    case .unavailable, .noWay: DeskExit.unavailable
    case .unclear: DeskExit.unclear
    }
  }
}

/// What a desk's commands end with (sysexits.h, where it has a word).
package enum DeskExit {
  /// The server refused it, or it is not so.
  package static let refused: Int32 = 1
  /// The command line asks for what cannot be done.
  package static let usage: Int32 = 64
  /// What was put in cannot be used.
  package static let data: Int32 = 65
  /// The server cannot be asked.
  package static let unavailable: Int32 = 69
  /// The file that was asked for cannot be written.
  package static let output: Int32 = 74
  /// The answer to a change is lost: it may have been done.
  package static let unclear: Int32 = 76
}
