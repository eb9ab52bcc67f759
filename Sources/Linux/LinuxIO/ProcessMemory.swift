internal import CLinux

/// The memory of this process.
package enum ProcessMemory {
  /// Has all threads share one heap: each has little, and a heap for each keeps what its thread needed once. To be called before others
  /// are started.
  package static func useOneHeap() { clinux_use_one_heap() }

  /// Has what is larger than a megabyte given back when it is freed, always: for who needs much for a moment. Without it the heap keeps as
  /// much as was needed once.
  package static func giveBackLarge() { clinux_map_large() }

  /// Lets go of what only the start has needed: code that is mapped, and what is free of the heap. What is used again is mapped
  /// again from the page cache.
  package static func letGoOfStart() {
    clinux_let_go_of_code()
    clinux_trim_heap()
  }
}
