/// Memory for pixels (or what is told of them) that is kept and only ever grows, so that a steady stream of frames allocates
/// nothing. It is not cleared.
final class PixelBuffer<Element: BitwiseCopyable> {
  private var memory = UnsafeMutableBufferPointer<Element>(start: nil, count: 0)
  private let empty: Element

  /// Makes a buffer that holds nothing; `empty` fills what was never written.
  init(filledWith empty: Element) { self.empty = empty }

  deinit { memory.deallocate() }

  /// How many elements there is room for.
  var capacity: Int { memory.count }

  /// Room for `count` elements at least, 1 or more; valid until the next call.
  func reserve(_ count: Int) -> UnsafeMutablePointer<Element> {
    if let base = memory.baseAddress, memory.count >= count { return base }
    memory.deallocate()
    let grown = UnsafeMutableBufferPointer<Element>.allocate(capacity: Swift.max(count, 1))
    grown.initialize(repeating: empty)
    memory = grown
    // A buffer that was allocated with room for one or more has an address.
    return grown.baseAddress.unsafelyUnwrapped
  }
}
