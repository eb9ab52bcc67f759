import Testing

/// Returns once something holds that no event tells of. It is looked at every 2 ms: who asks without pause keeps a processor from what it
/// waits for. Fails the running test where it does not hold within 50 s, or where the test is ended.
package func until(
  fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
  isolation: isolated (any Actor)? = #isolation, _ holds: () async throws -> Bool
) async rethrows {
  let end = ContinuousClock.now + .seconds(50)
  while try await !holds() {
    let wasEnded: Void? = try? await Task.sleep(for: .milliseconds(2))
    guard wasEnded != nil, .now < end else {
      Issue.record(
        "never so",
        sourceLocation: SourceLocation(fileID: fileID, filePath: filePath, line: line, column: column))
      return
    }
  }
}
