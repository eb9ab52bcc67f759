import Expectations
import ScanTesting
import Testing

@testable import TicketLists

/// How hard codes are to guess.
@Suite struct GuessabilityTests {
  private func measure(_ codes: [String]) -> Guessability {
    var meter = GuessabilityMeter()
    for code in codes { meter.see([UInt8](code.utf8)) }
    return meter.result
  }

  @Test func randomCodesAreEnough() {
    var random = SeededGenerator(seed: 1)
    let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
    func codes(_ count: Int, _ length: Int, _ alphabet: [Character]) -> [String] {
      (0..<count).map { _ in String((0..<length).compactMap { _ in alphabet.randomElement(using: &random) }) }
    }
    for count in [1, 10, 5_000] {
      let found = measure(codes(count, 32, letters))
      expect(found.isEnough && (155...166).contains(found.bits), "\(count) \(found)")
    }
    let short = measure(codes(5_000, 12, letters))
    expect(!short.isEnough && (60...62).contains(short.bits) && short.looks == "12 letters and digits")
    let digits = measure(codes(5_000, 16, Array("0123456789")))
    expect(!digits.isEnough && digits.bits == 53 && digits.looks == "16 digits")
    let hexadecimal = measure(codes(5_000, 32, Array("0123456789abcdef")))
    expect((127...128).contains(hexadecimal.bits) && hexadecimal.looks == "32 hexadecimal digits")
    let stem = measure(codes(5_000, 8, Array("0123456789")).map { "TICKET-2026-" + $0 })
    expect((25...27).contains(stem.bits) && stem.looks.contains("the first 12 always the same"), "\(stem)")
  }

  @Test func numbersInARowAreNone() {
    let found = measure((1_000_000..<1_001_000).map { "EV\($0)" })
    expect(found.bits == 9 && found.looks.contains("numbered in a row"), "\(found)")
    expectEqual(measure([]).bits, 0)
    // Long numbers overflow nothing.
    expect(measure([String(repeating: "9", count: 18), String(repeating: "1", count: 18)]).bits >= 0)
    expect(measure([String(repeating: "9", count: 40)]).isEnough)
  }
}
