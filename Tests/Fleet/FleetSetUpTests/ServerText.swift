/// A file of nats-server's, read by its grammar as far as it is used: maps, lists, texts, numbers, comments.
indirect enum ServerText: Equatable {
  case map([String: ServerText])
  case list([ServerText])
  case text(String)

  struct Fault: Error, CustomStringConvertible {
    let description: String
  }

  subscript(name: String) -> ServerText? { if case .map(let members) = self { members[name] } else { nil } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
  var list: [ServerText]? { if case .list(let list) = self { list } else { nil } }
  var names: Set<String> { if case .map(let members) = self { Set(members.keys) } else { [] } }

  init(_ bytes: [UInt8]) throws {
    var reader = Reader(rest: Array(String(decoding: bytes, as: UTF8.self))[...])
    self = .map(try reader.members(until: nil))
  }

  private struct Reader {
    var rest: ArraySlice<Character>

    mutating func skip(_ extra: Set<Character> = []) {
      while let next = rest.first {
        if next == "#" {
          rest = rest.drop { !$0.isNewline }
        } else if next.isWhitespace || next == "," || extra.contains(next) {
          rest.removeFirst()
        } else {
          return
        }
      }
    }

    mutating func members(until end: Character?) throws -> [String: ServerText] {
      var members: [String: ServerText] = [:]
      while true {
        skip()
        guard let next = rest.first else {
          guard end == nil else { throw Fault(description: "a map does not end") }
          return members
        }
        if next == end {
          rest.removeFirst()
          return members
        }
        let name = try word()
        skip([":", "="])
        guard members.updateValue(try value(), forKey: name) == nil else {
          throw Fault(description: "\(name) stands there twice")
        }
      }
    }

    mutating func value() throws -> ServerText {
      switch rest.first {
      case "{":
        rest.removeFirst()
        return .map(try members(until: "}"))
      case "[":
        rest.removeFirst()
        var list: [ServerText] = []
        while true {
          skip()
          guard let next = rest.first else { throw Fault(description: "a list does not end") }
          if next == "]" {
            rest.removeFirst()
            return .list(list)
          }
          list.append(try value())
        }
      default: return .text(try word())
      }
    }

    mutating func word() throws -> String {
      if rest.first == "\"" {
        rest.removeFirst()
        let text = rest.prefix { $0 != "\"" }
        guard text.endIndex < rest.endIndex else { throw Fault(description: "a text does not end") }
        rest = rest[(text.endIndex + 1)...]
        return String(text)
      }
      let text = rest.prefix { !$0.isWhitespace && !",:={}[]\"#".contains($0) }
      guard !text.isEmpty else { throw Fault(description: "\(rest.prefix(20)) is no word") }
      rest = rest[text.endIndex...]
      return String(text)
    }
  }
}

/// Whether a subject is one that a permission of nats-server's names.
func matches(_ subject: String, _ allowed: String) -> Bool {
  let words = subject.split(separator: ".", omittingEmptySubsequences: false)
  let pattern = allowed.split(separator: ".", omittingEmptySubsequences: false)
  for (place, part) in pattern.enumerated() {
    if part == ">" { return words.count > place }
    guard place < words.count, part == "*" || part == words[place] else { return false }
  }
  return words.count == pattern.count
}
