package import TicketSystemKit
package import TicketTransport

/// The service that tells the station what it is: `control`.
package struct ControlServiceConfiguration: Sendable, Equatable {
  /// Which service it is. The raw values are the words in the file.
  package enum Kind: String, Sendable, CaseIterable {
    /// The kiosk service.
    case kiosk
  }

  /// Which service it is.
  package var kind: Kind
  /// The server; the API is below it: `/api/kiosks/activate`.
  package var url: ServerAddress
  /// Certificates to trust instead of the system's.
  package var caFile: FileReference?
  /// Whether plain HTTP may go elsewhere than to loopback.
  package var allowPlainHTTP: Bool
  /// The credential that the service wants to see of a new station; `nil` where it wants none.
  package var registration: CredentialReference?
}

enum ControlSection {
  static let key = "control"
  static let registrationKey = "registration"

  private static let type = SchemaKey.required(
    "type", .choice(ControlServiceConfiguration.Kind.self), "The service's kind.")
  private static let url = SchemaKey.required(
    "url", .server(example: "https://kiosks.example.org", api: ["kiosks", "register-kiosk", "health"]),
    "The server; the API is below it: `/api/kiosks/activate`.")
  private static let caFile = SchemaKey<String>.optional(
    "caFile", .path(.certificates, example: "/etc/scangate/venue-ca.pem"),
    "Certificates in PEM. When given, only these are trusted for this server, not the system's.")
  private static let allowPlainHTTP = SchemaKey.key(
    "allowPlainHTTP", .boolean, default: false,
    "Lets plain HTTP go elsewhere than to loopback: codes and the station's token are then readable in the network.")
  private static let registration = SchemaKey<String>.optional(
    registrationKey, .credential(example: "kiosk-registration"),
    "The name of the credential that holds the registration token, where the service wants one: `scangate credential set NAME`."
  )

  private static let inlineSecret = "put it in with \"scangate credential set NAME\" and write registration: NAME"
  private static let held = "remove it: the activation code is held to the station's scanner and stands in no file"

  static let schema = SectionSchema(
    key,
    type, url, caFile, allowPlainHTTP, registration,
    refused: [
      "token": inlineSecret, "registrationToken": inlineSecret, "registration_token": inlineSecret,
      "secret": inlineSecret, "password": inlineSecret, "apiKey": inlineSecret, "api_key": inlineSecret,
      "key": inlineSecret, "code": held, "activationCode": held, "activation_code": held,
    ])

  static func read(_ reader: SectionReader) -> ControlServiceConfiguration? {
    let kind = reader.read(type)
    let url = reader.read(url)
    let ca = reader.read(caFile)
    let plain = reader.read(allowPlainHTTP)
    let registration = reader.read(registration)
    if let url, let plain { checkPlainHTTP(url, isAllowed: plain, shows: "codes and the station's token", reader) }
    guard let kind, let url, let plain else { return nil }
    return ControlServiceConfiguration(
      kind: kind, url: url,
      caFile: ca.map { FileReference(path: $0, role: .certificates, position: reader.position(of: "caFile")) },
      allowPlainHTTP: plain,
      registration: registration.map {
        CredentialReference(name: $0, position: reader.position(of: registrationKey))
      })
  }
}
