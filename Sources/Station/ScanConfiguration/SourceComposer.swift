internal import TicketSystemKit
import Yams

/// Makes the tree of a checked text, with the errors of YAML itself.
///
/// Yams throws at the first key that is given twice. To find them all, the character that begins such a key is replaced
/// by one of the private use area, which moves no column, and the text is composed again; the tree shows the key's own
/// name.
struct SourceComposer {
  /// The deepest nesting of lists and mappings; a configuration needs seven.
  static let maximumDepth = 16
  /// The most values in the tree, aliases expanded.
  static let maximumNodes = 50_000
  /// The most keys that are repaired; a file with more of them twice is not listed to its end. Each costs a parse, so a
  /// large file gets fewer.
  private var maximumRepairs: Int { max(1, min(64, (1 << 19) / (source.scalars.count + 1))) }

  private struct Place: Hashable {
    var line: Int
    var column: Int
  }

  private var source: SourceText
  private let findings: Findings
  private var originalNames: [Place: String] = [:]
  private var nodes = 0
  private var isCutShort = false

  /// The tree of `source`; `nil` after an error that leaves nothing to look at.
  static func compose(_ source: SourceText, _ findings: Findings) -> SourceNode? {
    var composer = Self(source: source, findings: findings)
    guard let root = composer.root() else { return nil }
    let start = SourcePosition(file: source.file, line: 1, column: 1)
    let node = composer.convert(root, path: "", label: start, depth: 0)
    return composer.isCutShort ? nil : node
  }

  private init(source: SourceText, findings: Findings) {
    self.source = source
    self.findings = findings
  }

  private func position(_ mark: Mark?) -> SourcePosition {
    SourcePosition(file: source.file, line: mark?.line ?? 1, column: mark?.column ?? 1)
  }

  private mutating func root() -> Node? {
    var firstDuplicate: ConfigurationError?
    for repair in 0...maximumRepairs {
      do {
        // No resolver: nothing is a number, a boolean or a date by its looks. UTF-8 by name, for the default reads the
        // environment.
        let node = try Parser(yaml: source.text, resolver: .basic, encoding: .utf8).singleRoot()
        if node == nil { reportEmpty() }
        return node
      } catch YamlError.duplicatedKeysInMapping(let names, let context) {
        let error = ConfigurationError(
          at: position(context.mark), "the key \(quoted(originalName(names, context.mark))) is given twice",
          "keep one of them")
        firstDuplicate = firstDuplicate ?? error
        guard repair < maximumRepairs, rename(names, context.mark) else {
          findings.error(at: error.position, error.problem, error.remedy)
          return nil
        }
      } catch {
        // A fault that a repair has made is none of the file's.
        if let firstDuplicate {
          findings.error(at: firstDuplicate.position, firstDuplicate.problem, firstDuplicate.remedy)
        } else {
          reportSyntax(error)
        }
        return nil
      }
    }
    return nil
  }

  private func originalName(_ names: [String], _ mark: Mark) -> String {
    originalNames[Place(line: mark.line, column: mark.column)] ?? names.first ?? "?"
  }

  private mutating func rename(_ names: [String], _ mark: Mark) -> Bool {
    let place = Place(line: mark.line, column: mark.column)
    guard let name = names.first, originalNames[place] == nil,
      let replacement = Unicode.Scalar(0xE000 + UInt32(originalNames.count)),
      source.replace(line: mark.line, column: mark.column, with: replacement)
    else { return false }
    originalNames[place] = name
    return true
  }

  private func reportEmpty() {
    findings.error(
      at: position(nil), "the file is empty", "begin with \"version: 1\"; docs/configuration.md shows a whole file")
  }

  // MARK: The tree

  private mutating func convert(_ node: Node, path: String, label: SourcePosition?, depth: Int) -> SourceNode {
    let place = position(node.mark)
    nodes += 1
    func make(_ content: SourceNode.Content) -> SourceNode {
      SourceNode(content: content, position: place, label: label ?? place, path: path)
    }
    guard !isCutShort else { return make(.scalar("", isPlain: true)) }
    if depth > Self.maximumDepth {
      findings.error(
        at: place, "nested more than \(Self.maximumDepth) deep", "write it as flat as docs/configuration.md shows")
      isCutShort = true
    } else if nodes > Self.maximumNodes {
      findings.error(
        at: place, "more than \(Self.maximumNodes) values, aliases counted each time", "write fewer, without aliases")
      isCutShort = true
    }
    reportTag(node, place)
    switch node {
    case .scalar(let scalar):
      return make(.scalar(scalar.string, isPlain: scalar.style == .plain))
    case .sequence(let sequence):
      var items: [SourceNode] = []
      for (index, item) in sequence.enumerated() where !isCutShort {
        items.append(convert(item, path: "\(path)[\(index + 1)]", label: nil, depth: depth + 1))
      }
      return make(.sequence(items))
    case .mapping(let mapping):
      return make(.mapping(entries(of: mapping, path: path, depth: depth)))
    case .alias:
      // Only the encoder makes these; the parser puts the value in its place.
      return make(.scalar("", isPlain: true))
    }
  }

  private mutating func entries(of mapping: Node.Mapping, path: String, depth: Int) -> [SourceEntry] {
    var entries: [SourceEntry] = []
    var seen: [String: SourcePosition] = [:]
    for (key, value) in mapping where !isCutShort {
      let place = position(key.mark)
      guard case .scalar(let scalar) = key else {
        findings.error(at: place, "a key that is no text", "write a name, a colon and a space: \"name: value\"")
        continue
      }
      let name = originalNames[Place(line: place.line, column: place.column)] ?? scalar.string
      if let first = seen[name] {
        findings.error(
          at: place, "the key \(quoted(name)) is given twice, first in line \(first.line)", "keep one of them")
        continue
      }
      seen[name] = place
      let below = path.isEmpty ? name : "\(path).\(name)"
      let node = convert(value, path: below, label: place, depth: depth + 1)
      entries.append(SourceEntry(key: name, position: place, value: node))
    }
    return entries
  }

  /// A tag such as `!!binary` asks for another reading of the text than the one it gets here.
  private func reportTag(_ node: Node, _ place: SourcePosition) {
    switch node.tag.description {
    case "", "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:seq", "tag:yaml.org,2002:map": break
    default: findings.error(at: place, "a YAML tag (!…)", "remove it: the key alone says how its value is read")
    }
  }

  // MARK: Faults of YAML

  private static let openings: Set<String> = [
    "did not find expected ',' or '}'", "did not find expected ',' or ']'", "found unexpected end of stream",
  ]

  private func reportSyntax(_ error: any Error) {
    switch error {
    case YamlError.scanner(let context, let problem, let mark, _),
      YamlError.parser(let context, let problem, let mark, _),
      YamlError.composer(let context, let problem, let mark, _):
      let words = words(for: problem, at: mark)
      // What is left open is best looked for where it was opened.
      let opening = Self.openings.contains(problem) ? context?.mark : nil
      findings.error(at: position(opening ?? mark), words.problem, words.remedy)
    case YamlError.memory:
      findings.error(at: position(nil), "nested too deep", "write it as flat as docs/configuration.md shows")
    default:
      // The bytes were checked before, so that a reader error cannot be expected.
      findings.error(at: position(nil), "the file cannot be read as YAML", "compare it with docs/configuration.md")
    }
  }

  /// libyaml's findings in the words of somebody who edits a file.
  private func words(for problem: String, at mark: Mark) -> (problem: String, remedy: String) {
    switch problem {
    case "found character that cannot start any token":
      if source.scalar(line: mark.line, column: mark.column) == "\t" {
        return ("a tab where YAML wants spaces", "indent by spaces")
      }
      return ("a text that begins with a character of YAML's own", "put the text in quotes")
    case "mapping values are not allowed in this context":
      return (
        "a second colon on the line, or a line that is indented too far",
        "put a text that holds \": \" in quotes, and begin keys of one section in one column"
      )
    case "could not find expected ':'":
      return ("the line before is no \"key: value\"", "a key is followed by a colon and a space")
    case "did not find expected key":
      return ("no key begins here", "begin the keys of one section in the same column, and close what is open before")
    case "did not find expected ',' or '}'":
      return ("a \"{\" that is not closed, or no comma between its keys", "write { key: value, key: value }")
    case "did not find expected ',' or ']'":
      return ("a \"[\" that is not closed, or no comma between its values", "write [value, value]")
    case "found unexpected end of stream":
      return ("a quotation that is not closed", "end it with the mark that began it")
    case "found undefined alias":
      return ("an alias (*name) without an anchor (&name) before it", "put a text that begins with * in quotes")
    case "but found another document":
      return ("a second document begins", "one file holds one configuration: remove the line \"---\"")
    case "did not find expected '-' indicator":
      return ("no list item begins here", "begin the items of one list in the same column, each with \"- \"")
    default:
      return ("YAML cannot be read here: \(problem)", "indent by two spaces and put unusual text in quotes")
    }
  }
}
