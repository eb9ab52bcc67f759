import ArgumentParser
import FleetBook
import FleetSetUp
import ScanModel

/// `scangate fleet invite`
struct FleetInviteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "invite", abstract: "Make a code by which a station becomes one of its fleet: scangate fleet join.",
    discussion: """
      It has the station's credential, the servers, their authority and whose claims are believed, sealed by a word that is told with it. \
      Send code and word by two ways: who has both can be the station, also later, for what ends is that scangate fleet join takes it. \
      The code is on standard output, the word on standard error.
      """)

  @Argument(help: ArgumentHelp("The station.", valueName: "station"))
  var station: StationID

  @OptionGroup var folder: FleetFolderArgument

  @Option(help: ArgumentHelp("For how long the code is good: 30min, 24h, 7d; 30min.", valueName: "time"))
  var expires: LifeArgument?

  @Option(
    help: ArgumentHelp("Write the QR code to this new file: .svg, .png or .pgm.", valueName: "file"),
    completion: .file(extensions: ["svg", "png", "pgm"]))
  var picture: String?

  @Flag(help: "Print the QR code as well.")
  var qr = false

  func validate() throws { if let picture { try CodePicture.check(picture) } }

  func run() throws {
    let (place, layout) = try folder.read()
    let until = SystemTime().wall() + (expires?.duration ?? .seconds(1_800))
    let invitation = try spoken { () throws(FleetFault) in
      try FleetInvitation.inviting(station, layout, place.secrets(layout), until: until)
    }
    let word = FleetInvitation.word()
    guard let text = invitation.text(by: word) else { throw failure("No code was made: there is no memory.") }
    if picture != nil || qr {
      let code = try CodePicture(text)
      if let picture { try code.save(to: picture) }
      if qr { code.show() }
    }
    Terminal.out(text)
    Terminal.error("At the station \(station), until \(until.iso8601Seconds): sudo scangate fleet join")
    Terminal.error("The word that it asks for: \(word)")
  }
}
