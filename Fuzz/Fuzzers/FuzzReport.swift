import ReportProtocol

/// Packets between who wants a report and who makes it.
///
/// The input: a byte that says what the rest is read as.
func fuzzReport(_ input: inout FuzzInput) {
  let isRequest = input.byte().isMultiple(of: 2)
  let bytes = input.remainder()
  if isRequest {
    guard let request = try? ReportRequest(bytes: bytes) else { return }
    property(try ReportRequest(bytes: request.bytes) == request, "what is written again reads the same")
    return
  }
  guard let answer = try? ReportAnswer(bytes: bytes) else { return }
  let again = answer.bytes
  property(try ReportAnswer(bytes: again) == answer, "what is written again reads the same")
  property(again.count <= ReportLimits.maximumPacket, "a packet has a longest length")
  switch answer {
  case .rows(let rows): property(rows.count <= ReportLimits.rowsOfPacket, "rows are bounded")
  case .file(let head): property(head.byteCount <= ReportLimits.maximumFile, "a file is bounded")
  default: break
  }
}
