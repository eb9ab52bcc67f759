internal import ScanModel
internal import StationProtocol
internal import StationSetUp

extension StationSetUp.Control {
  /// What pages show of the service.
  var board: StationSnapshot.Board {
    var board = StationSnapshot.Board()
    board.status = status
    board.manualStatus = manualStatus
    guard let configuration else { return board }
    board.name = configuration.name
    board.room = configuration.roomName
    board.location = configuration.location
    board.welcomeMessage = configuration.texts["welcomeMessage"]
    board.helpMessage = configuration.texts["helpMessage"]
    board.statusTexts = configuration.statusMessages.map { .init(status: $0, text: $1) }
      .sorted { $0.status.rawValue < $1.status.rawValue }
    return board
  }

  /// How long a session of staff may rest, as the service says.
  var sessionTimeout: Duration? { configuration?.sessionTimeout }
}
