import Expectations
import Glibc
import Testing

private let wrapper = "/usr/bin/umockdev-wrapper"

/// The reader with libudev on mocked lines, in a process of its own, because umockdev must be preloaded.
@Test(.enabled(if: access(wrapper, X_OK) == 0, "needs the Debian packages umockdev and libumockdev0"))
func linesAreFoundByIdentityAndFoundAgain() throws {
  var path = [CChar](repeating: 0, count: 4096)
  try #require(readlink("/proc/self/exe", &path, path.count - 1) > 0)
  let executable = String(decoding: path.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  let folder = "/" + executable.split(separator: "/").dropLast().joined(separator: "/")
  // The test bed leaves its files behind, so it gets a folder that goes with it.
  let script = """
    TMPDIR=$(mktemp -d /tmp/serial-mock.XXXXXX); export TMPDIR
    \(wrapper) '\(folder)/serial-mock' > "$TMPDIR/said"; status=$?
    grep -q '^passed$' "$TMPDIR/said" || { cat "$TMPDIR/said" >&2; status=1; }
    rm -rf "$TMPDIR"; exit $status
    """
  var arguments = ["/bin/sh", "-c", script].map { (text: String) in strdup(text) }
  arguments.append(nil)
  defer { for argument in arguments { free(argument) } }
  var child = pid_t()
  try #require(posix_spawn(&child, "/bin/sh", nil, nil, &arguments, environ) == 0)
  var status: Int32 = -1
  waitpid(child, &status, 0)
  expectEqual(status, 0)
}
