internal import LinuxIO
package import ScanModel
package import TicketTransport

/// Where the key of a ticket system is.
package enum TicketSystemKey: Sendable, Equatable {
  /// A credential of the station.
  case credential(CredentialReference)
  /// A file that holds it, alone on its line.
  case file(FileReference)

  /// Reads the key.
  /// - Throws: what is wrong with it, and what to do.
  package func secret(of id: TicketSystemID, _ credentials: CredentialResolver) throws(SetupError) -> Secret {
    switch self {
    case .file(let file): try Self.secret(of: id, in: file.path)
    case .credential(let credential): try Self.secret(of: id, credential, credentials)
    }
  }

  private static func secret(
    of id: TicketSystemID, _ credential: CredentialReference, _ credentials: CredentialResolver
  ) throws(SetupError) -> Secret {
    let text = try Result { () throws(SetupError) in try credentials(credential.name) }
      .mapError { SetupError("\(place(of: credential))ticketSystems.\(id): \($0.description)") }.get()
    do {
      return try Secret(text)
    } catch {
      throw SetupError(
        "\(place(of: credential))ticketSystems.\(id), credential \(credential.name): \(error.description)")
    }
  }

  /// Where the file names it, as a line's beginning; nothing of what a set-up code has brought, which no file names.
  private static func place(of credential: CredentialReference) -> String {
    credential.isEnrolled ? "" : "\(credential.position): "
  }

  private static func secret(of id: TicketSystemID, in path: String) throws(SetupError) -> Secret {
    let content: KeyFile.Content
    do throws(SystemError) {
      content = try KeyFile.read(path)
    } catch {
      throw SetupError(
        "Ticket system \(id): the key file \(path) cannot be read (\(error.words)). Let the service read it.")
    }
    guard case .key(let text) = content else {
      throw SetupError("Ticket system \(id): there is no key file \(path). Put the API key into it, alone on its line.")
    }
    do {
      return try Secret(text)
    } catch {
      throw SetupError("Ticket system \(id), key file \(path): \(error.description)")
    }
  }
}
