import StationSetUp
import ControlTesting
import Gateway
import Glibc
import ScanModel
import Sealing

// A process that activates a station and is killed at a given moment, as by a cut of power.
//
//   control-child STATE BOOKS GIFT CODE MOMENT
//
// Built without words on its own: it is for tests alone.

alarm(60)
let words = CommandLine.arguments
guard words.count == 6, let gift = FolderService.Gift(rawValue: words[3]) else { exit(2) }
let moment = words[5]
let books = words[2]

let session = try ControlSession(
  store: SealedRecordStore(keys: SealKeySource(state: words[1], given: nil)),
  server: ControlServer(url: "https://service.example", name: "service.example:443"), version: "1", time: SystemTime(),
  connect: { _ in
    FolderService(folder: books, gift: gift) { now in
      if now.rawValue == moment { kill(getpid(), SIGKILL) }
    }
  })
let result = await session.activate(ActivationCode(code: words[4]), deadline: SystemTime().now() + .seconds(30))
await session.close()
switch result {
case .success: exit(0)
case .failure(let fault):
  print(fault.refusal.rawValue)
  exit(1)
}
