import ArgumentParser
import FleetBook
import FleetSetUp
import JetStreamClaims
import ScanModel

/// `scangate fleet accept`
struct FleetAcceptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "accept", abstract: "Have stations take the event's book as it is, though it has gone back.",
    discussion: """
      Stations refuse a book that lacks what they have written: servers that were started with old disks, or a book that was made anew. \
      Find out first where the rest is, and bring those disks back. Only where they are lost for sure: what is missing admits again.
      """)

  @OptionGroup var folder: FleetFolderArgument

  func run() async throws {
    let (place, layout) = try folder.read()
    let settings = try spoken { () throws(FleetFault) in try place.settings(layout) }
    let store = try connected(settings)
    let result: Result<ClaimRevision, ClaimFault>
    do throws(ClaimFault) {
      result = .success(try await store.accept(until: SystemTime().now() + .seconds(30)))
    } catch { result = .failure(error) }
    await store.stop()
    switch result {
    case .success(let last):
      Terminal.out(
        "The book of \(layout.event) counts as it is, up to its write \(last.number). Stations take it within seconds; tickets that were used and are not in it admit again."
      )
    case .failure(.otherVersion(let words)), .failure(.refused(let words)): throw failure(words)
    case .failure:
      throw failure(
        "No majority of the servers has answered in 30 s: \(layout.servers.map(\.description).joined(separator: ", ")). See scangate fleet status \(place.path)"
      )
    }
  }
}
