// Both ends of the holder's socket as processes that tests can stop and kill: the holder on outputs that are printed, and
// a gateway that admits when it is told to.
import Glibc

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "hold" where words.count == 4: Bench.hold(Array(words.dropFirst()))
case "command" where words.count == 3: Bench.command(Array(words.dropFirst()))
default: Bench.say("holder-bench hold SOCKET STATE RUNTIME | command SOCKET secure|safe")
}
