import Foundation

/// Where a test puts files of its own: a folder that the runner takes away with everything in it (`scripts/unit`), else the machine's.
package let temporaryRoot = ProcessInfo.processInfo.environment["TMPDIR"] ?? "/tmp"
