/// Takes the modules of a symbol out of a picture and draws them clean for zbar.
final class SymbolRedraw {
  /// Pixels of a module, and modules of white around the symbol.
  static let scale = 3
  static let quiet = 4

  private let darkness = PixelBuffer<Float>(filledWith: 0)
  private let drawing = PixelBuffer<UInt8>(filledWith: 0)
  private let sums = PixelBuffer<Float>(filledWith: 0)

  /// Elements that are kept.
  var capacity: Int { darkness.capacity + drawing.capacity + sums.capacity }

  /// Looks at nine places of each module; how much darker than the threshold it is, row by row, valid until the next call.
  func sample(_ grid: SymbolGrid, _ scene: Scene) -> UnsafePointer<Float> {
    let side = grid.version.side
    let out = darkness.reserve(side * side)
    for row in 0..<side {
      let v = Float(row) + 0.5
      var here = grid.place(0.5, v)
      for column in 0..<side {
        let u = Float(column) + 0.5
        let next = grid.place(u + 1, v)
        let across = (next - here) * 0.25
        // Modules are small: downwards is across, turned, as good as; but perspective stretches one of them.
        let down = (grid.place(u, v + 1) - here) * 0.25
        var sum = scene.brightness(at: here)
        sum += scene.brightness(at: here + across) + scene.brightness(at: here - across)
        sum += scene.brightness(at: here + down) + scene.brightness(at: here - down)
        sum += scene.brightness(at: here + across + down) + scene.brightness(at: here + across - down)
        sum += scene.brightness(at: here - across + down) + scene.brightness(at: here - across - down)
        out[row * side + column] = scene.threshold(at: here) - sum / 9
        here = next
      }
    }
    return UnsafePointer(out)
  }

  /// The same, against what is around each module in the symbol instead of in the picture, and sharpened: for what is blurred or
  /// unevenly lit. `samples` is what `sample` gave.
  func sharpen(_ samples: UnsafePointer<Float>, side: Int) -> UnsafePointer<Float> {
    // Behind the sums lies the result.
    let memory = sums.reserve(2 * side * side)
    let out = memory + side * side
    let reach = 4
    for row in 0..<side {
      for column in 0..<side {
        let from = max(0, column - reach)
        let to = min(side - 1, column + reach)
        var sum: Float = 0
        for index in from...to { sum += samples[row * side + index] }
        memory[row * side + column] = sum / Float(to - from + 1)
      }
    }
    for row in 0..<side {
      let from = max(0, row - reach)
      let to = min(side - 1, row + reach)
      for column in 0..<side {
        var sum: Float = 0
        for index in from...to { sum += memory[index * side + column] }
        let mean = sum / Float(to - from + 1)
        let place = row * side + column
        let around =
          samples[row * side + max(0, column - 1)] + samples[row * side + min(side - 1, column + 1)]
          + samples[max(0, row - 1) * side + column] + samples[min(side - 1, row + 1) * side + column]
        out[place] = (samples[place] - mean) - 0.2 * (around / 4 - mean)
      }
    }
    return UnsafePointer(out)
  }

  /// The symbol drawn clean, with what is fixed as it should be: a picture for zbar, valid until the next call.
  func draw(_ samples: UnsafePointer<Float>, version: SymbolVersion, isMirrored: Bool = false) -> GreyImage {
    let side = version.side
    let width = (side + 2 * Self.quiet) * Self.scale
    let out = drawing.reserve(width * width)
    out.update(repeating: 255, count: width * width)
    for row in 0..<side {
      for column in 0..<side {
        let sampled = samples[isMirrored ? column * side + row : row * side + column] > 0
        guard version.fixed(column: column, row: row) ?? sampled else { continue }
        // Inside: both numbers are below `side`, and the quiet zone is on either side.
        let start = out + (row + Self.quiet) * Self.scale * width + (column + Self.quiet) * Self.scale
        for line in 0..<Self.scale {
          for pixel in 0..<Self.scale { start[line * width + pixel] = 0 }
        }
      }
    }
    return GreyImage(inside: UnsafePointer(out), width: width, height: width, stride: width)
  }
}
