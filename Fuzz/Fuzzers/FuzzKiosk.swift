import WireText
import ScanModel
@testable import KioskControl
@testable import TicketTransport

private let token = "Ky7-secret-token"

private func isPlain(_ text: String) -> Bool {
  text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F && $0 != "\u{202E}" }
}

/// Answers of the kiosk service: what activates, what a configuration says, and what people are told.
///
/// The input: a byte for the status, one for the media type, then the body.
func fuzzKiosk(_ input: inout FuzzInput) {
  let status = input.choice([200, 201, 204, 302, 400, 401, 403, 404, 405, 409, 410, 429, 500, 503, 100, 999, -1])
  let kind = input.byte()
  let type = ["application/json", "application/problem+json", "text/html", nil][Int(kind & 3)]
  let body = input.remainder()
  let secrets = [Redaction(token, shownAs: "(token)")]
  let answer = KioskAnswer(
    HTTPAnswer(status: status, mediaType: type, body: body, clockAhead: kind & 4 == 0 ? nil : .seconds(100_000)),
    host: "host:1", hiding: secrets)
  let document = type == "text/html" || type == nil ? nil : try? JSONValue(body)
  let isGood = (200...299).contains(status)

  var shown: [String] = [answer.fault("a question").detail]
  do throws(ActivationFault) {
    let activation = try ActivationAnswer.read(answer, asked: "asked")
    property(isGood, "only a good status activates")
    let parts = [document, document?["data"]]
    property(
      parts.contains { part in
        ["success", "active", "activated"].contains { part?[$0] == .bool(true) } || part?["token"]?.string != nil
          || part?["message"] == .string("Kiosk activated successfully")
      }, "only an explicit yes activates")
    property(
      !parts.contains { part in ["success", "active", "activated"].contains { part?[$0] == .bool(false) } },
      "a no does not activate")
    property(KioskPath.segment(activation.kioskID) != nil, "an identifier fits a path")
  } catch {
    shown.append(error.detail)
    property(error.kind != nil || document != nil, "only the service judges a code")
    if (500...599).contains(status) {
      property(error.mayBeUsed, "a server that is out of order may have used the code")
    }
  }

  do throws(ControlFault) {
    if let configuration = try ConfigurationAnswer.read(answer, hiding: secrets) {
      property(isGood && document != nil, "only a good answer configures")
      property(
        configuration.refreshInterval >= .seconds(30) && configuration.refreshInterval <= .seconds(3_600),
        "intervals are bounded")
      property((3...20).contains(configuration.lockOut.attempts), "attempts are bounded")
      property(
        configuration.lockOut.duration >= .seconds(60) && configuration.lockOut.duration <= .seconds(3_600),
        "a lock-out is bounded")
      if let window = configuration.maintenance {
        property((0...1_439).contains(window.minute) && (1...1_440).contains(window.minutes), "a window is bounded")
        switch window.day {
        case .daily: break
        case .weekly(let day): property((0...6).contains(day), "a day of the week is one")
        case .monthly(let day): property((1...31).contains(day), "a day of the month is one")
        }
      }
      property(configuration.texts.count <= 32 && configuration.ignored.count <= 64, "lists are bounded")
      let texts =
        Array(configuration.texts.values) + configuration.statusMessages.values + configuration.ignored
        + [
          configuration.id, configuration.name, configuration.roomName, configuration.location,
          configuration.department, configuration.mode,
        ].compactMap(\.self)
      property(texts.allSatisfy { $0.unicodeScalars.count <= 200 }, "a text is short")
      shown += texts
    }
  } catch {
    shown.append(error.detail)
  }
  do throws(ControlFault) { try HealthAnswer.read(answer) } catch { shown.append(error.detail) }
  do throws(ControlFault) { try TokenAnswer.read(answer) } catch { shown.append(error.detail) }
  for text in shown {
    property(!text.lowercased().contains(token.lowercased()), "a secret is not shown")
    property(isPlain(text), "it steers no terminal")
    property(text.unicodeScalars.count <= 700, "what is shown is short")
  }

  let words = String(decoding: body, as: UTF8.self)
  if let end = WebToken.expires(words) { property(end > WallTime(seconds: -1), "a token ends after 1970") }
  if let segment = KioskPath.segment(words) {
    property(!segment.contains("/") && segment != "..", "an identifier is no way out of the path")
  }
}
