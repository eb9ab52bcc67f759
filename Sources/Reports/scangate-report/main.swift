import Glibc
import LinuxIO
import ReportProtocol
import ReportWorker

/// Makes reports from the journal, for who asks at its socket: without key and network, and it writes nothing.

func say(_ text: String, to file: Int32) {
  let text = text + "\n"
  _ = write(file, text, text.utf8.count)
}

func fail(_ words: String, _ status: Int32) -> Never {
  say(SystemJournal.marked("scangate-report: \(words)", .error), to: STDERR_FILENO)
  exit(status)
}

let arguments: ReportArguments
switch ReportArguments.parse(CommandLine.arguments.dropFirst()) {
case .run(let parsed): arguments = parsed
case .say(let text):
  say(text, to: STDOUT_FILENO)
  exit(0)
case .wrong(let text): fail(text, 64)
}

ProcessMemory.useOneHeap()
do {
  var listener: PacketListener?
  // What nobody knows is closed.
  for passed in ServiceManager.passedDescriptors() {
    let socket = PacketListener(owning: passed.number)
    if passed.name == ReportArguments.passedName, listener == nil { listener = socket }
  }
  if listener == nil, let path = arguments.socket { listener = try PacketListener(path: path, mode: 0o660) }
  guard let listener else {
    fail("There is no socket to listen at. Give --socket PATH, or start scangate-report.socket.", 64)
  }
  let server = try ReportServer(
    listener: listener,
    settings: ReportServer.Settings(journal: arguments.journal, users: arguments.users, idle: arguments.idle),
    log: { say($0, to: STDERR_FILENO) })
  _ = ServiceManager()?.notify("READY=1")
  server.run()
} catch {
  fail("It cannot listen at \(arguments.socket ?? ReportLimits.path): \(error.description).", 71)
}
