import DecodeWorker
import Glibc

/// The fenced decoder: looks at pictures of strangers, and can do nothing else. Started by scangate alone.

if CommandLine.arguments.dropFirst() == ["--version"] {
  let text = "scangate-decode 0.1.0\n"
  _ = write(STDOUT_FILENO, text, text.utf8.count)
  exit(0)
}
guard CommandLine.arguments.count == 1, fcntl(3, F_GETFD) >= 0, fcntl(4, F_GETFD) >= 0 else {
  let text = "scangate-decode is started by scangate; use `scangate decode FILE` to read codes from pictures.\n"
  _ = write(STDERR_FILENO, text, text.utf8.count)
  exit(64)
}
exit(Worker.run())
