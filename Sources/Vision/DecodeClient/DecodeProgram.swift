import Glibc

/// Where the worker's executable is.
package enum DecodeProgram {
  /// The path: what `SCANGATE_DECODE` names, else beside the executable that runs, else in the `libexec` of its prefix.
  ///
  /// Nothing is looked up in `PATH`. Whether it can be started is seen when it is.
  package static var path: String {
    if let named = getenv("SCANGATE_DECODE") { return String(cString: named) }
    var buffer = [CChar](repeating: 0, count: 4_096)
    let length = readlink("/proc/self/exe", &buffer, buffer.count - 1)
    let executable = String(decoding: buffer.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    let folders = executable.split(separator: "/").dropLast()
    let beside = "/" + folders.joined(separator: "/") + "/scangate-decode"
    if access(beside, X_OK) == 0 { return beside }
    return "/" + (folders.dropLast() + ["libexec", "scangate-decode"]).joined(separator: "/")
  }
}
