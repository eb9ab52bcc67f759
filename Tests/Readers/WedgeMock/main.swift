// Drives the wedge readers with mocked devices; started by a test under umockdev-wrapper, because the test bed must be
// preloaded. `wedge-mock SCENARIO` prints `passed SCENARIO`, or says what failed and exits with 1.
import Glibc

// Root may open everything, which would hide the scenario of the missing permission.
if geteuid() == 0 { _ = setuid(65534) }
begin(CommandLine.arguments.dropFirst().first ?? "")
guard let run = scenarios[CommandLine.arguments.dropFirst().first ?? ""] else { die("there is no such scenario") }
do {
  try await run()
  pass()
} catch {
  die("\(error)")
}
