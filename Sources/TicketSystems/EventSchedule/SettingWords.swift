internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport

extension ServerWords {
  /// The words for a configured ticket system: its own settings, each with its place in the file.
  init(naming settings: EventScheduleSection.System, of id: TicketSystemID) {
    self.init()
    let reload = "then reload the service: systemctl reload scangate"
    switch settings.place {
    case .configured(_, .file(let file)):
      keyCure = "Put the right key into \(file.path) (apiKeyFile, \(file.position)), \(reload)"
    case .configured(_, .credential(let credential)) where credential.isEnrolled:
      keyCure =
        "A set-up code brought the key. Forget it with: scangate enrolment forget \(id). Then show a new set-up code."
    case .configured(_, .credential(let credential)):
      keyCure =
        "Put the right key in with \"scangate credential set \(credential.name)\" (apiKey, \(credential.position)), "
        + reload
    case .enrolled: break
    }
    guard let place = settings.urlPosition else {
      addressCure = "A set-up code brought the address: see scangate enrolment list"
      trustCure = addressCure
      return
    }
    addressCure = "Check url (\(place))."
    trustCure =
      settings.caFile.map { "Check url (\(place)) and caFile \($0.path) (\($0.position))." }
      ?? "Check url (\(place)); where the authority is your own, name its certificate by caFile."
  }
}

extension TicketSystemKey {
  /// Which one it is, as the file names it.
  var name: String {
    switch self {
    case .file(let file): "apiKeyFile \(file.path)"
    case .credential(let credential) where credential.isEnrolled: "key of its set-up code"
    case .credential(let credential): "apiKey \(credential.name)"
    }
  }
}
