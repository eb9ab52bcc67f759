internal import ScanModel

/// A part of a picture, in whole pixels.
struct PixelRect: Equatable {
  /// The first column.
  var x: Int
  /// The first row.
  var y: Int
  var width: Int
  var height: Int

  func contains(_ point: ViewPoint) -> Bool {
    point.x >= Float(x) && point.y >= Float(y) && point.x < Float(x.clampedSum(width))
      && point.y < Float(y.clampedSum(height))
  }

  /// What both have; empty (0 by 0) where that is nothing.
  func intersection(_ other: PixelRect) -> PixelRect {
    let left = max(x, other.x)
    let top = max(y, other.y)
    let right = min(x.clampedSum(width), other.x.clampedSum(other.width))
    let bottom = min(y.clampedSum(height), other.y.clampedSum(other.height))
    guard right > left, bottom > top else { return PixelRect(x: left, y: top, width: 0, height: 0) }
    return PixelRect(x: left, y: top, width: right - left, height: bottom - top)
  }
}

extension Int {
  fileprivate func clampedSum(_ other: Int) -> Int {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other > 0 ? .max : .min) : sum
  }
}

extension GreyImage {
  var bounds: PixelRect { PixelRect(x: 0, y: 0, width: width, height: height) }

  /// The part of it inside `rect`, in place; `nil` where nothing of it is.
  func cropped(to rect: PixelRect) -> GreyImage? {
    let part = rect.intersection(bounds)
    guard part.width > 0, part.height > 0 else { return nil }
    // Inside `bounds`: the first pixel and every row of the part are pixels of this picture.
    return GreyImage(
      inside: pixels + part.y * stride + part.x, width: part.width, height: part.height, stride: stride)
  }
}
