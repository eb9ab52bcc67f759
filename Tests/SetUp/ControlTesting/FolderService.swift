internal import Glibc
package import ScanModel

/// A control service whose books are files in a folder, so that they outlive the process that a test kills: each code is of use
/// once, and a station that is not activated is served nothing, or is called inactive.
package struct FolderService: StationControl {
  /// What it gives for a code.
  package enum Gift: String, Sendable {
    /// A token, and what needs it; a lost one is lost.
    case token
    /// Nothing: a station is known by its id, and its configuration says whether it is active.
    case activity
  }

  /// A moment at which a test acts.
  package enum Moment: String, Sendable, CaseIterable {
    case beforeActivation, afterActivation, beforeConfiguration, afterConfiguration
  }

  package let server = "service.example:443"
  private let folder: String
  private let gift: Gift
  private let at: @Sendable (Moment) -> Void

  /// Names its books' folder.
  package init(folder: String, gift: Gift, at: @escaping @Sendable (Moment) -> Void = { _ in }) {
    self.folder = folder
    self.gift = gift
    self.at = at
  }

  /// Makes a code.
  package func make(_ code: String) { write("code-\(code)", "unused") }

  package func health(deadline: MonotonicTime) async throws(ControlFault) {}

  package func register(
    _ station: StationIdentity, token: ControlToken?, deadline: MonotonicTime
  ) async throws(ControlFault) {
    if read("kiosk-\(station.id)") == nil { write("kiosk-\(station.id)", "inactive") }
  }

  package func activate(
    _ code: ActivationCode, as station: StationIdentity, deadline: MonotonicTime
  ) async throws(ActivationFault) -> Activation {
    at(.beforeActivation)
    guard let state = read("code-\(code.code)") else {
      throw ActivationFault(.wrong, "\(server) knows no such code.")
    }
    guard read("kiosk-\(station.id)") != nil else {
      throw ActivationFault(.unknownStation, "\(server) does not know the station.")
    }
    guard state == "unused" else { throw ActivationFault(.used, "The code was used before.") }
    write("code-\(code.code)", "used")
    write("kiosk-\(station.id)", "active")
    at(.afterActivation)
    return Activation(
      kioskID: station.id, token: gift == .token ? ControlToken("token-\(station.id)") : nil, expires: nil)
  }

  package func configuration(
    of activation: Activation, refreshing: Bool, deadline: MonotonicTime
  ) async throws(ControlFault) -> ControlConfiguration {
    at(.beforeConfiguration)
    try check(activation)
    var configuration = ControlConfiguration()
    configuration.id = activation.kioskID
    configuration.name = "North"
    configuration.state = read("kiosk-\(activation.kioskID)") == "active" ? .active : .inactive
    at(.afterConfiguration)
    return configuration
  }

  package func report(
    _ status: StationStatus, isManual: Bool, at time: WallTime, of activation: Activation, deadline: MonotonicTime
  ) async throws(ControlFault) {
    try check(activation)
    write("status", "\(status.rawValue) \(isManual)")
  }

  package func validate(_ activation: Activation, deadline: MonotonicTime) async throws(ControlFault) {
    try check(activation)
  }

  package func close() async {}

  private func check(_ activation: Activation) throws(ControlFault) {
    switch gift {
    case .token:
      guard activation.token?.text == "token-\(activation.kioskID)" else {
        throw ControlFault(.authentication, "\(server) does not accept the token.", status: 401)
      }
    case .activity:
      guard read("kiosk-\(activation.kioskID)") != nil else {
        throw ControlFault(.configuration, "\(server) does not know the station.", status: 404)
      }
    }
  }

  private func read(_ name: String) -> String? {
    guard let file = fopen("\(folder)/\(name)", "r") else { return nil }
    defer { fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = fread(&bytes, 1, bytes.count, file)
    return String(decoding: bytes.prefix(count), as: UTF8.self)
  }

  private func write(_ name: String, _ text: String) {
    guard let file = fopen("\(folder)/\(name)", "w") else { return }
    fputs(text, file)
    fclose(file)
  }
}
