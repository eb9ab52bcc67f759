internal import Glibc
internal import Synchronization

/// Files that are of no use before they have their final name: when somebody ends the process, they go with it.
package enum UnfinishedFiles {
  private static let paths = Mutex<Set<String>>([])

  /// Makes a file that is whole later; like `finish`, wholly or not at all beside `removeAll`.
  package static func begin(
    _ path: String, _ make: () throws(SystemError) -> OwnedDescriptor
  ) throws(SystemError) -> OwnedDescriptor {
    try paths.withLock { paths throws(SystemError) in
      let file = try make()
      paths.insert(path)
      return file
    }
  }

  /// Lets `body` give a file its final name; it happens wholly or not at all beside `removeAll`.
  /// - Parameter body: returns 0, or why it could not.
  package static func finish(_ path: String, _ body: () -> Int32) -> Int32 {
    paths.withLock { paths in
      let result = body()
      if result == 0 { paths.remove(path) }
      return result
    }
  }

  /// Removes a file that is not wanted any more.
  package static func discard(_ path: String) {
    paths.withLock { paths in if paths.remove(path) != nil { unlink(path) } }
  }

  /// Removes all of them, and ends the process: nothing is begun or finished any more.
  /// - Parameter end: does not return.
  package static func removeAll(then end: () -> Never) -> Never {
    paths.withLock { paths in
      for path in paths { unlink(path) }
      end()
    }
  }
}
