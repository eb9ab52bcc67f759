import ArgumentParser
import Console
import Glibc
import LinuxIO
import ScanConfiguration

/// `scangate console token NAME`: makes a token where the console looks for it.
struct ConsoleTokenCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "Make a token for whoever asks the console.",
    discussion: "It is written into the file NAME in /etc/scangate/console, which root alone reads, and is not printed."
  )

  @Argument(help: ArgumentHelp("The file's name; console.tokens, or console.metrics, names it.", valueName: "name"))
  var name: String

  @Option(help: ArgumentHelp("The folder.", valueName: "folder"), completion: .directory)
  var credentials = ConsoleSecrets.usual

  func validate() throws {
    guard isConsoleCredential(name) else {
      throw ValidationError(
        "A name has at most 64 letters, digits, dots, - and _, no mark first, such as wall-screen.")
    }
  }

  func run() throws {
    let path = "\(credentials)/\(name)"
    do throws(SystemError) {
      try NewFile.write([UInt8]("\(ConsoleSecrets.newToken())\n".utf8), to: path)
    } catch {
      let remedy =
        switch error.errno {
        case EEXIST: "It is there already. Remove it first where it is to be another: sudo rm \(path)"
        case ENOENT: "Make the folder first: sudo install -d -m 700 \(credentials)"
        case EACCES, EPERM: "Ask as root: sudo scangate console token \(name)"
        default: "\(error.words)."
        }
      throw failure("\(path) cannot be written. \(remedy)")
    }
    Terminal.out("The token is in \(path). Whoever shall have it reads it there: sudo cat \(path)")
    Terminal.out(
      "It holds when the file names it and the console is started anew: sudo systemctl restart scangate-console")
  }
}
