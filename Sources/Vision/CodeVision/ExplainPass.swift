/// What is drawn of one pass over a picture, in the pixels of the pass.
///
/// Where black begins: black is bluish, white reddish. Finder patterns: green where they are sure, orange where they are not, with
/// the ends of their rays. Triples whose timing fits: violet. The grid: a dot on each module, red where it is black, blue where it is
/// white; green corners where it was read. The clean drawing: in the left upper corner.
struct ExplainPass {
  let canvas: ExplainCanvas

  /// Begins with the thresholds.
  init(_ scene: Scene) {
    canvas = ExplainCanvas(scene.image)
    canvas.tint { scene.isBlack(column: $0, row: $1) }
  }

  func draw(_ finders: [Finder]) {
    for finder in finders {
      let colour = finder.doubt < Finder.sure ? ExplainCanvas.Colour.green : .orange
      canvas.dot(finder.place, colour, reach: 1)
      for index in 0..<16 where finder.rays[index] > 0 { canvas.dot(finder.rayEnd(index), colour) }
    }
  }

  func draw(_ guess: GridGuess) {
    canvas.line(guess.corner.place, guess.right.place, .violet)
    canvas.line(guess.corner.place, guess.below.place, .violet)
  }

  /// Draws a grid as it was sampled.
  func draw(_ grid: SymbolGrid, _ samples: UnsafePointer<Float>) {
    let side = grid.version.side
    for row in 0..<side {
      for column in 0..<side {
        let place = grid.place(Float(column) + 0.5, Float(row) + 0.5)
        canvas.dot(place, samples[row * side + column] > 0 ? .red : .blue)
      }
    }
  }

  /// Draws what was read, and the drawing in which it was.
  func draw(_ grid: SymbolGrid, read drawing: GreyImage) {
    let side = Float(grid.version.side)
    let corners = [grid.place(0, 0), grid.place(side, 0), grid.place(side, side), grid.place(0, side)]
    for index in corners.indices { canvas.line(corners[index], corners[(index + 1) % 4], .green) }
    canvas.inset(drawing)
  }
}
