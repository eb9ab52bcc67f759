import Mustache
import NIOCore

/// The templates of all pages, compiled once. Each is a file of `Templates`, and known by its name without the ending.
struct PageTemplates: Sendable {
  /// All of them; a template that is none is missing, which no test lets through.
  static let shared = PageTemplates()

  private static let files: [(name: String, bytes: [UInt8])] = [
    ("layout", PackageResources.layout_mustache),
    ("problem", PackageResources.problem_mustache),
    ("home", PackageResources.home_mustache),
    ("signin", PackageResources.signin_mustache),
    ("device", PackageResources.device_mustache),
    ("sessions", PackageResources.sessions_mustache),
    ("door", PackageResources.door_mustache),
    ("verdict", PackageResources.verdict_mustache),
    ("attendant", PackageResources.attendant_mustache),
    ("outcome", PackageResources.outcome_mustache),
    ("conflicts", PackageResources.conflicts_mustache),
    ("technician", PackageResources.technician_mustache),
    ("picture", PackageResources.picture_mustache),
    ("journal", PackageResources.journal_mustache),
    ("organiser", PackageResources.organiser_mustache),
  ]

  private let library: MustacheLibrary
  /// What is wrong with templates; empty where all is well.
  let faults: [String]

  private init() {
    MustacheContentTypes.register(PageEscaping(), named: PageEscaping.name)
    var (library, faults) = (MustacheLibrary(), [String]())
    for file in Self.files {
      do {
        // Each says for itself how it is escaped: the library's own way goes by what people take for a character, and a quote with an
        // accent is none to it.
        let text = "{{% CONTENT_TYPE:\(PageEscaping.name)}}" + String(decoding: file.bytes, as: UTF8.self)
        try library.register(text, named: file.name)
      } catch {
        faults.append("\(file.name): \(error)")
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
