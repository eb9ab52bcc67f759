import DecodeProtocol
import ScanModel

/// Packets between the gateway and the worker that looks at pictures.
///
/// The input: a byte that says what the rest is read as.
func fuzzDecode(_ input: inout FuzzInput) {
  let isRequest = input.byte().isMultiple(of: 2)
  let bytes = input.remainder()
  if isRequest {
    guard let request = try? DecodeRequest(bytes: bytes) else { return }
    property(request.bytes == bytes, "a request is written in one way only")
    return
  }
  guard let answer = try? DecodeAnswer(bytes: bytes) else { return }
  let again = answer.bytes
  property(try DecodeAnswer(bytes: again) == answer, "what is written again reads the same")
  property(again.count <= DecodeLimits.maximumPacket, "a packet has a longest length")
  guard case .result(_, let result) = answer else { return }
  let symbols = result.reading.symbols
  property(symbols.count <= DecodeLimits.maximumSymbols, "symbols are bounded")
  for symbol in symbols {
    property(symbol.bytes.count <= DecodeLimits.maximumSymbolBytes, "a symbol's bytes are bounded")
    property(symbol.text.utf8.count <= DecodeLimits.maximumSymbolText, "a symbol's text is bounded")
    property(symbol.points.allSatisfy { $0.x.isFinite && $0.y.isFinite }, "places are numbers")
  }
}
