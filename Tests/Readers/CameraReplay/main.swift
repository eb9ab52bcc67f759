import Glibc

/// Plays frames to the whole camera reader, as a camera would, and prints one line of JSON: how much of a core it takes.
///
///     camera-replay --format=yuyv|mjpg [--size=1280x720] [--rate=30] [--idle-rate=10|all] [--kinds=all|qr,…]
///                   [--warm=6] [--seconds=10] FRAME…
///
/// Each FRAME is a file with what a camera puts into a buffer; they are played over and over. The decoder is the
/// `scangate-decode` beside this program.
let options: ReplayOptions
do {
  options = try ReplayOptions(Array(CommandLine.arguments.dropFirst()))
  print(try await Replay(options).run())
} catch {
  let line = "camera-replay: \(error)\n"
  _ = write(STDERR_FILENO, line, line.utf8.count)
  exit(1)
}
