import Glibc
import LinuxIO
import SignalOutputs

/// The output holder: owns every output of the station, for whichever gateway commands it.

let arguments: Arguments
switch Arguments.parse(CommandLine.arguments.dropFirst()) {
case .run(let parsed): arguments = parsed
case .say(let text):
  _ = write(STDOUT_FILENO, text, text.utf8.count)
  exit(0)
case .wrong(let text):
  let told = SystemJournal.marked(text, .error) + (SystemJournal.isRead ? "\n" : "")
  _ = write(STDERR_FILENO, told, told.utf8.count)
  exit(64)
}

ProcessMemory.useOneHeap()
// Before any thread is there: threads inherit the mask, and the variables are removed.
var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGTERM)
sigaddset(&signals, SIGINT)
pthread_sigmask(SIG_BLOCK, &signals, nil)
let log = Log.make()
exit(Program.run(arguments, passed: ServiceManager.passedDescriptors(), log: log, until: signals))
