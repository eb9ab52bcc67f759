import Foundation

/// How far a test goes that could go on for as long as one likes: over how many seeds of a property, how many images of a power cut.
///
/// - Parameters:
///   - landing: How far it goes at each landing.
///   - release: How far before a release, with `SCANGATE_WHOLE=1` in the environment (`make test-all`).
package func extent(landing: Int, release: Int) -> Int {
  ProcessInfo.processInfo.environment["SCANGATE_WHOLE"] == "1" ? release : landing
}
