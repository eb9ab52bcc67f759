/// A duration as the file writes it, in the largest unit that keeps it short: `300 ms`, `2500 ms`, `2 s`, `1 min`.
package func written(_ duration: Duration) -> String {
  let (seconds, attoseconds) = duration.components
  if attoseconds == 0 {
    return seconds != 0 && seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds) s"
  }
  return "\(seconds * 1000 + attoseconds / 1_000_000_000_000_000) ms"
}

/// A number with a unit, split: `2.5 s` is 2,500 thousandths and `s`. `nil` where it begins with no number.
private func quantity(_ text: String) -> (thousandths: Int64, unit: String)? {
  var rest = Substring(text)
  func digits() -> Substring {
    let digits = rest.prefix { $0.isASCII && $0.isNumber }
    rest = rest.dropFirst(digits.count)
    return digits
  }
  let whole = digits()
  guard (1...9).contains(whole.count), var thousandths = Int64(whole).map({ $0 * 1000 }) else { return nil }
  if rest.first == "." {
    rest = rest.dropFirst()
    let fraction = digits()
    guard (1...3).contains(fraction.count) else { return nil }
    thousandths += Int64(fraction + String(repeating: "0", count: 3 - fraction.count)) ?? 0
  }
  return (thousandths, String(rest.drop { $0 == " " }))
}

extension ValueKind where Value == Duration {
  /// A number with the unit `ms`, `s` or `min`.
  package static func duration(_ range: ClosedRange<Duration>, example: String) -> Self {
    let limits = "\(written(range.lowerBound)) to \(written(range.upperBound))"
    return Self(summary: "duration, \(limits)", example: example, show: { written($0) }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      guard let (thousandths, unit) = quantity(text) else {
        return node.refused(text, "write a number and a unit (ms, s or min), such as \(example)", findings)
      }
      let value: Duration
      switch unit {
      case "ms": value = .microseconds(thousandths)
      case "s": value = .milliseconds(thousandths)
      case "min": value = .milliseconds(thousandths * 60)
      case "":
        // Offer the unit that makes the number fit; where both do, small numbers are seconds.
        let units = [("s", Duration.milliseconds(thousandths)), ("ms", .microseconds(thousandths))]
        let guess = (thousandths < 100_000 ? units : units.reversed()).first { range.contains($0.1) }?.0
        let right = guess.map { "write \"\(text) \($0)\"" } ?? "write a number and ms, s or min, such as \(example)"
        findings.error(at: node.position, "\(quoted(node.path)) has no unit: \(quoted(text))", right)
        return nil
      default: return node.refused(text, "the units are ms, s and min, such as \(example)", findings)
      }
      guard range.contains(value) else { return node.refused(text, "write \(limits)", findings) }
      return value
    }
  }

  /// A duration, with a minus sign where it is negative.
  package static func offset(upTo limit: Duration, example: String) -> Self {
    let limits = "\(written(.zero - limit)) to \(written(limit))"
    return Self(summary: "duration, \(limits)", example: example, show: { written($0) }) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      let isNegative = text.hasPrefix("-")
      let units: [String: Int64] = ["ms": 1, "s": 1_000, "min": 60_000]
      guard let (thousandths, unit) = quantity(isNegative ? String(text.dropFirst()) : text), let factor = units[unit]
      else { return node.refused(text, "write a number and a unit (ms, s or min), such as \(example)", findings) }
      // At most 12 digits of thousandths: no unit makes them overflow.
      let size = Duration.microseconds(thousandths * factor)
      guard size <= limit else { return node.refused(text, "write \(limits)", findings) }
      return isNegative ? Duration.zero - size : size
    }
  }
}

/// An age as the file writes it, in the largest unit that keeps it whole: `90 min`, `24 h`, `7 d`.
private func writtenAge(_ age: Duration) -> String {
  let minutes = age.components.seconds / 60
  if minutes % 1_440 == 0, minutes > 1_440 { return "\(minutes / 1_440) d" }
  return minutes % 60 == 0 && minutes > 0 ? "\(minutes / 60) h" : "\(minutes) min"
}

extension ValueKind where Value == Duration {
  /// A number with the unit `min`, `h` or `d`: how old something may be.
  package static func age(_ range: ClosedRange<Duration>, example: String) -> Self {
    let limits = "\(writtenAge(range.lowerBound)) to \(writtenAge(range.upperBound))"
    return Self(summary: "age, \(limits)", example: example, show: writtenAge) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      guard let (thousandths, unit) = quantity(text) else {
        return node.refused(text, "write a number and a unit (min, h or d), such as \(example)", findings)
      }
      let units: [String: Int64] = ["min": 60, "h": 3_600, "d": 86_400]
      guard let factor = units[unit] else {
        if !unit.isEmpty { return node.refused(text, "the units are min, h and d, such as \(example)", findings) }
        findings.error(
          at: node.position, "\(quoted(node.path)) has no unit: \(quoted(text))",
          "write a number and min, h or d, such as \(example)")
        return nil
      }
      // At most 12 digits of thousandths: no unit makes them overflow.
      let value = Duration.milliseconds(thousandths * factor)
      guard range.contains(value) else { return node.refused(text, "write \(limits)", findings) }
      return value
    }
  }
}

/// A span as the file writes it, in the largest unit that keeps it whole: `0 s`, `90 s`, `15 min`, `24 h`, `16 d`.
private func writtenSpan(_ span: Duration) -> String {
  let seconds = span.components.seconds
  return seconds % 60 == 0 && seconds > 0 ? writtenAge(span) : "\(seconds) s"
}

extension ValueKind where Value == Duration {
  /// A number with the unit `s`, `min`, `h` or `d`: a time that may be none, or days.
  package static func span(_ range: ClosedRange<Duration>, example: String) -> Self {
    let limits = "\(writtenSpan(range.lowerBound)) to \(writtenSpan(range.upperBound))"
    return Self(summary: "time, \(limits)", example: example, show: writtenSpan) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      let units: [String: Int64] = ["s": 1, "min": 60, "h": 3_600, "d": 86_400]
      guard let (thousandths, unit) = quantity(text), let factor = units[unit] else {
        return node.refused(text, "write a number and a unit (s, min, h or d), such as \(example)", findings)
      }
      // At most 12 digits of thousandths: no unit makes them overflow.
      let value = Duration.milliseconds(thousandths * factor)
      guard range.contains(value) else { return node.refused(text, "write \(limits)", findings) }
      return value
    }
  }
}

extension ValueKind where Value == Int {
  /// A whole number in decimal digits.
  package static func integer(_ range: ClosedRange<Int>, _ unit: String? = nil, example: String) -> Self {
    let limits = "\(range.lowerBound) to \(range.upperBound)"
    return Self(
      summary: "whole number, \(limits)" + (unit.map { " \($0)" } ?? ""), example: example, show: { String($0) }
    ) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      let isDecimal = (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
      guard isDecimal, let value = Int(text), range.contains(value) else {
        return node.refused(text, "write a whole number, \(limits)", findings)
      }
      return value
    }
  }

  /// A frequency of whole hertz, with the unit `Hz` or `kHz`.
  package static func frequency(_ range: ClosedRange<Int>, example: String) -> Self {
    @Sendable func written(_ hertz: Int) -> String {
      hertz % 1000 == 0 && hertz >= 10_000 ? "\(hertz / 1000) kHz" : "\(hertz) Hz"
    }
    let limits = "\(written(range.lowerBound)) to \(written(range.upperBound))"
    return Self(summary: "frequency, \(limits)", example: example, show: written) { node, findings in
      guard let text = node.text(like: example, findings) else { return nil }
      guard let (thousandths, unit) = quantity(text) else {
        return node.refused(text, "write a number and a unit (Hz or kHz), such as \(example)", findings)
      }
      let millihertz: Int64
      switch unit {
      case "Hz": millihertz = thousandths
      case "kHz": millihertz = thousandths * 1000
      case "":
        let units = [("Hz", thousandths), ("kHz", thousandths * 1000)]
        let guess = units.first { $0.1 % 1000 == 0 && range.contains(Int(clamping: $0.1 / 1000)) }?.0
        findings.error(
          at: node.position, "\(quoted(node.path)) has no unit: \(quoted(text))",
          guess.map { "write \"\(text) \($0)\"" } ?? "write a number and Hz or kHz, such as \(example)")
        return nil
      default: return node.refused(text, "the units are Hz and kHz, such as \(example)", findings)
      }
      guard millihertz % 1000 == 0, range.contains(Int(clamping: millihertz / 1000)) else {
        return node.refused(text, "write \(limits), whole hertz", findings)
      }
      return Int(clamping: millihertz / 1000)
    }
  }

  /// A share with its sign: `50 %`.
  package static var percent: Self {
    Self(summary: "share, 1 % to 100 %", example: "50 %", show: { "\($0) %" }) { node, findings in
      guard let text = node.text(like: "50 %", findings) else { return nil }
      guard let (thousandths, unit) = quantity(text) else {
        return node.refused(text, "write a whole number and %, such as 50 %", findings)
      }
      if unit.isEmpty {
        // Somebody who writes 0.5 means a half.
        let hundredths = thousandths <= 1000 ? thousandths * 100 : thousandths
        let isShare = hundredths % 1000 == 0 && (1...100).contains(hundredths / 1000)
        findings.error(
          at: node.position, "\(quoted(node.path)) has no unit: \(quoted(text))",
          isShare ? "write \"\(hundredths / 1000) %\"" : "write 1 % to 100 %, whole")
        return nil
      }
      guard unit == "%", thousandths % 1000 == 0, (1...100).contains(thousandths / 1000) else {
        return node.refused(text, "write 1 % to 100 %, whole", findings)
      }
      return Int(thousandths / 1000)
    }
  }
}
