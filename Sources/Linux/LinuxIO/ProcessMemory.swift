internal import CLinux

/// The memory of this process.
package enum ProcessMemory {
  /// Has all threads share one heap: each has little, and a heap for each keeps what its thread needed once. To be called before others
  /// are started.
  package static func useOneHeap() { clinux_use_one_heap() }

  /// Gives back what is free of the heap: for who has needed much of it for a moment.
  package static func giveBack() { clinux_trim_heap() }

  /// Lets go of what only the start has needed: code that is mapped, and what is free of the heap. What is used again is mapped
  /// again from the page cache.
  package static func letGoOfStart() {
    clinux_let_go_of_code()
    clinux_trim_heap()
  }
}
