/// What a section with `url`, `allowPlainHTTP` and `caFile` says of plain HTTP: elsewhere than to loopback it is an error
/// unless allowed, and a doubt all the same.
/// - Parameter shown: what the network would see.
package func checkPlainHTTP(_ url: ServerURL, isAllowed: Bool, shows shown: String, _ reader: SectionReader) {
  if url.isSecure { return }
  let place = reader.position(of: "url")
  if !url.isLoopback && !isAllowed {
    reader.findings.error(
      at: place, "plain HTTP to \(url.host) shows \(shown) to the network",
      "write https://, or set allowPlainHTTP: true where the network is your own")
  } else if !url.isLoopback {
    reader.findings.warning(
      at: place, "plain HTTP to \(url.host) shows \(shown) to the network", "write https:// when you can")
  }
  if let caFile = reader.keyPosition(of: "caFile") {
    reader.findings.warning(at: caFile, "caFile has no effect with plain HTTP", "write https://, or remove caFile")
  }
}
