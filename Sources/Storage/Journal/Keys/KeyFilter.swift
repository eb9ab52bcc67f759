import ScanModel

/// Which keys may be stored, in a few bits for each: a Bloom filter. What it does not know was never put in; of what it
/// knows, one in a hundred was not either. It grows by layers, so that nobody has to know beforehand how many keys there are.
struct KeyFilter {
  /// Bits for each key, and how many of them one key sets: some 0.3 % of strangers pass a full layer.
  private static let (bits, probes) = (12, 8)
  /// The keys of the first layer, and of the largest.
  private static let (first, largest) = (32_768, 262_144)

  private struct Layer {
    private var words: [UInt64]
    private(set) var room: Int
    private let size: UInt64

    init(capacity: Int) {
      words = [UInt64](repeating: 0, count: capacity * KeyFilter.bits / 64)
      size = UInt64(words.count) * 64
      room = capacity
    }

    var bytes: Int { words.count * 8 }

    func contains(_ hash: Hash) -> Bool {
      for probe in 0..<KeyFilter.probes {
        let bit = hash.place(probe, of: size)
        if words[Int(bit >> 6)] & 1 << (bit & 63) == 0 { return false }
      }
      return true
    }

    mutating func insert(_ hash: Hash) {
      for probe in 0..<KeyFilter.probes {
        let bit = hash.place(probe, of: size)
        words[Int(bit >> 6)] |= 1 << (bit & 63)
      }
      room -= 1
    }
  }

  /// Two hashes of a key, of which all places are made.
  private struct Hash {
    private let start: UInt64
    private let step: UInt64

    init(_ key: LedgerKey) {
      // Seeded anew in each process: nobody can choose keys that fill it.
      start = UInt64(bitPattern: Int64(key.hashValue))
      var mixed = start &+ 0x9E37_79B9_7F4A_7C15
      mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
      step = (mixed ^ mixed >> 31) | 1
    }

    /// A place below `size`.
    func place(_ probe: Int, of size: UInt64) -> UInt64 {
      (start &+ UInt64(probe) &* step).multipliedFullWidth(by: size).high
    }
  }

  private var layers: [Layer] = []

  /// Whether the key may have been put in; false is sure.
  func mayContain(_ key: LedgerKey) -> Bool {
    let hash = Hash(key)
    return layers.contains { $0.contains(hash) }
  }

  /// Puts a key in.
  mutating func insert(_ key: LedgerKey) {
    let hash = Hash(key)
    if layers.contains(where: { $0.contains(hash) }) { return }
    if layers.last.map({ $0.room <= 0 }) ?? true {
      layers.append(Layer(capacity: layers.count < 4 ? min(Self.largest, Self.first << layers.count) : Self.largest))
    }
    layers[layers.count - 1].insert(hash)
  }

  /// How many bytes it takes.
  var bytes: Int { layers.reduce(0) { $0 + $1.bytes } }
}
