internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

/// The password of a staff account. It can be sent and compared, and nothing else: printing, reflecting and interpolating it show no part
/// of it.
struct StaffPassword: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// More is none: surely the wrong file.
  static let longest = 1_024

  /// For the request's body alone.
  let text: String

  /// Takes a password; `nil` for nothing, or too much.
  init?(_ text: String) {
    guard (1...Self.longest).contains(text.utf8.count) else { return nil }
    self.text = text
  }

  /// The password that the configuration names.
  /// - Throws: that there is none, or why it cannot be had, and what to do.
  init(
    _ credential: CredentialReference, of id: TicketSystemID, _ credentials: CredentialResolver
  ) throws(SetupError) {
    let place = "\(credential.position): ticketSystems.\(id)"
    let text: String
    do throws(SetupError) {
      text = try credentials(credential.name)
    } catch {
      throw SetupError("\(place): \(error.description)")
    }
    guard let password = StaffPassword(text) else {
      throw SetupError(
        "\(place), credential \(credential.name): a password has 1 to \(Self.longest) bytes. Put it in again with: "
          + "scangate credential set \(credential.name)")
    }
    self = password
  }

  /// Hides it in text that came from outside.
  var redaction: Redaction { Redaction(text, shownAs: description) }

  var description: String { "(secret)" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
