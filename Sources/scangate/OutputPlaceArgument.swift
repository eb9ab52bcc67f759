import ArgumentParser
import Gateway

/// Who drives the outputs, as commands that use them are told.
struct OutputPlaceArgument: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "The socket of the output holder, which then drives relays, lamps and buzzers. Without it this process does.",
      valueName: "socket"), completion: .file())
  var holder: String?

  var outputs: OutputPlace { holder.map { .holder(path: $0) } ?? .own }
}
