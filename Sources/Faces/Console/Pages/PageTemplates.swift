import CCarried
import Mustache
import NIOCore

/// The templates of all pages, compiled once. Each is a file of `Templates`, and known by its name without the ending.
struct PageTemplates: Sendable {
  /// All of them; a template that is none is missing, which no test lets through.
  static let shared = PageTemplates()

  private static var files: [(name: String, file: carried_file)] {
    [
      ("layout", carried_template_layout()),
      ("problem", carried_template_problem()),
      ("home", carried_template_home()),
      ("signin", carried_template_signin()),
      ("device", carried_template_device()),
      ("sessions", carried_template_sessions()),
      ("door", carried_template_door()),
      ("verdict", carried_template_verdict()),
      ("attendant", carried_template_attendant()),
      ("outcome", carried_template_outcome()),
      ("conflicts", carried_template_conflicts()),
      ("technician", carried_template_technician()),
      ("picture", carried_template_picture()),
      ("journal", carried_template_journal()),
      ("organiser", carried_template_organiser()),
    ]
  }

  private let library: MustacheLibrary
  /// What is wrong with templates; empty where all is well.
  let faults: [String]

  private init() {
    MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
    var (library, faults) = (MustacheLibrary(), [String]())
    for (name, file) in Self.files {
      do {
        // Each says for itself how it is escaped: the library's own way goes by what people take for a character, and a quote with an
        // accent is none to it.
        let text = "{{% CONTENT_TYPE:\(PageEscaping.name)}}" + String(decoding: file.bytes, as: UTF8.self)
        try library.register(text, named: name)
      } catch {
        faults.append("\(name): \(error)")
      }
    }
    (self.library, self.faults) = (library, faults)
  }

  /// Fills a template; `nil` where there is none of that name.
  func render(_ name: String, _ model: PageModel) -> String? { library.render(model, withTemplate: name) }
}

/// How text is written into HTML, wherever it stands: scalar by scalar, so that nothing that follows a quote hides it.
struct PageEscaping: MustacheContentType {
  static let name = "SCANGATE"

  func escapeText(_ text: String) -> String { Self.escape(text) }

  /// `text` with the characters that HTML heeds written as entities.
  static func escape(_ text: String) -> String {
    guard text.utf8.contains(where: isHeeded) else { return text }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count + 32)
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "<"): bytes += "&lt;".utf8
      case UInt8(ascii: ">"): bytes += "&gt;".utf8
      case UInt8(ascii: "&"): bytes += "&amp;".utf8
      case UInt8(ascii: "\""): bytes += "&quot;".utf8
      case UInt8(ascii: "'"): bytes += "&#39;".utf8
      case UInt8(ascii: "`"): bytes += "&#96;".utf8
      default: bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  private static func isHeeded(_ byte: UInt8) -> Bool { "<>&\"'`".utf8.contains(byte) }
}
