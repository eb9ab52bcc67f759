import CPangoCairo

/// A colour of ink.
struct Ink: Sendable {
  let red, green, blue: Double

  init(_ red: Double, _ green: Double, _ blue: Double) {
    self.red = red
    self.green = green
    self.blue = blue
  }

  static let text = Ink(0.1, 0.1, 0.12)
  static let faint = Ink(0.42, 0.42, 0.45)
  static let line = Ink(0.82, 0.82, 0.84)
  static let band = Ink(0.955, 0.955, 0.965)
  static let white = Ink(1, 1, 1)

  /// Told apart by people who see few colours, too.
  static let series = [
    Ink(0, 0.27, 0.45), Ink(0.9, 0.62, 0), Ink(0.34, 0.71, 0.91), Ink(0.84, 0.37, 0), Ink(0, 0.62, 0.45),
    Ink(0.8, 0.47, 0.65), Ink(0.6, 0.6, 0.6),
  ]
  static let admitted = Ink(0, 0.45, 0.33)
  static let refused = Ink(0.84, 0.37, 0)
  static let undecided = Ink(0.62, 0.62, 0.65)
}

/// Lines within a surface, so that it is told apart on a printer without colours.
enum Hatch: Sendable, CaseIterable { case none, rising, falling, level, upright, crossed }

/// How a surface looks.
struct Surface: Sendable {
  let ink: Ink
  let hatch: Hatch

  init(_ ink: Ink, _ hatch: Hatch = .none) {
    self.ink = ink
    self.hatch = hatch
  }

  static let admitted = Surface(.admitted)
  static let refused = Surface(.refused, .rising)
  static let undecided = Surface(.undecided)

  /// Those of gates: dark and light in turns, and no two have both the same lightness and the same lines.
  static let series = [
    Surface(Ink.series[0]), Surface(Ink.series[1], .rising), Surface(Ink.series[2]), Surface(Ink.series[3], .level),
    Surface(Ink.series[4], .falling), Surface(Ink.series[5], .upright), Surface(Ink.series[6], .crossed),
  ]
}

/// A place on a sheet, in points.
struct Box: Sendable {
  var x, y, width, height: Double
}

/// How a text stands in its place.
enum TextSide { case left, right, middle }

/// Sheets of A4 in points of 1/72 inch, from the upper left corner; what is drawn becomes a PDF whose text can be searched.
final class PageCanvas {
  static let width = 595.276
  static let height = 841.89
  static let margin = 48.0
  static let inner = width - 2 * margin
  /// What is above is the page's; below is the foot.
  static let end = height - 56

  /// Where the bytes go; they stay in memory, up to a limit.
  private final class Sink {
    var bytes: [UInt8] = []
    let limit: Int
    init(limit: Int) { self.limit = limit }
  }

  private let sink: Sink
  private let surface: OpaquePointer
  private let context: OpaquePointer
  private let options: OpaquePointer?

  /// - Parameters:
  ///   - limit: the most bytes.
  ///   - title: what readers show as the document's name.
  /// - Throws: where no document can be made.
  init(limit: Int, title: String) throws(PageFault) {
    sink = Sink(limit: limit)
    let surface = cairo_pdf_surface_create_for_stream(
      { closure, data, count in
        guard let closure, let data else { return CAIRO_STATUS_WRITE_ERROR }
        let sink = Unmanaged<Sink>.fromOpaque(closure).takeUnretainedValue()
        guard sink.bytes.count + Int(count) <= sink.limit else { return CAIRO_STATUS_WRITE_ERROR }
        sink.bytes.append(contentsOf: UnsafeBufferPointer(start: data, count: Int(count)))
        return CAIRO_STATUS_SUCCESS
      }, Unmanaged.passUnretained(sink).toOpaque(), Self.width, Self.height)
    guard let surface, let context = cairo_create(surface) else { throw PageFault("no page can be made") }
    self.surface = surface
    self.context = context
    options = cairo_font_options_create()
    // For paper: no letter is moved to fit pixels.
    cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
    cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, title)
    cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "scangate")
  }

  deinit {
    cairo_font_options_destroy(options)
    cairo_destroy(context)
    // It writes what is left, to the sink that lives as long.
    cairo_surface_finish(surface)
    cairo_surface_destroy(surface)
  }

  /// Ends the sheet; what follows is on the next one.
  func endPage() { cairo_show_page(context) }

  /// The document.
  /// - Throws: where it is longer than allowed, or memory is missing.
  func finish() throws(PageFault) -> [UInt8] {
    cairo_surface_finish(surface)
    let status = cairo_surface_status(surface)
    guard status == CAIRO_STATUS_SUCCESS, cairo_status(context) == CAIRO_STATUS_SUCCESS else {
      throw PageFault(
        status == CAIRO_STATUS_WRITE_ERROR
          ? "the pages take more than \(sink.limit >> 20) MB" : String(cString: cairo_status_to_string(status)))
    }
    return sink.bytes
  }

  // MARK: Drawing

  func fill(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ ink: Ink) {
    set(ink)
    cairo_rectangle(context, x, y, width, height)
    cairo_fill(context)
  }

  /// Fills places, all of them alike; lines of one run on in the next.
  func fill(_ boxes: [Box], _ surface: Surface) {
    guard !boxes.isEmpty else { return }
    set(surface.ink)
    for box in boxes { cairo_rectangle(context, box.x, box.y, box.width, box.height) }
    cairo_fill_preserve(context)
    guard surface.hatch != .none else {
      cairo_new_path(context)
      return
    }
    cairo_save(context)
    cairo_clip(context)
    let left = boxes.map(\.x).min() ?? 0
    let right = boxes.map { $0.x + $0.width }.max() ?? 0
    let top = boxes.map(\.y).min() ?? 0
    let bottom = boxes.map { $0.y + $0.height }.max() ?? 0
    hatch(surface.hatch, left, top, right, bottom)
    cairo_restore(context)
  }

  private func hatch(_ hatch: Hatch, _ left: Double, _ top: Double, _ right: Double, _ bottom: Double) {
    let (gap, height) = (4.0, bottom - top)
    set(.white)
    cairo_set_line_width(context, 0.9)
    func each(from first: Double, to last: Double, _ draw: (Double) -> Void) {
      // At the same places whatever is filled.
      var at = (first / gap).rounded(.up) * gap
      while at < last {
        draw(at)
        at += gap
      }
    }
    func stroke(_ x: Double, _ y: Double, _ right: Double, _ bottom: Double) {
      cairo_move_to(context, x, y)
      cairo_line_to(context, right, bottom)
    }
    switch hatch {
    case .none: break
    case .rising: each(from: left, to: right + height) { stroke($0, top, $0 - height, bottom) }
    case .falling: each(from: left - height, to: right) { stroke($0, top, $0 + height, bottom) }
    case .level: each(from: top, to: bottom) { stroke(left, $0, right, $0) }
    case .upright: each(from: left, to: right) { stroke($0, top, $0, bottom) }
    case .crossed:
      each(from: top, to: bottom) { stroke(left, $0, right, $0) }
      each(from: left, to: right) { stroke($0, top, $0, bottom) }
    }
    cairo_stroke(context)
  }

  func line(_ x: Double, _ y: Double, to right: Double, _ bottom: Double, _ ink: Ink = .line, width: Double = 0.6) {
    set(ink)
    cairo_set_line_width(context, width)
    cairo_move_to(context, x, y)
    cairo_line_to(context, right, bottom)
    cairo_stroke(context)
  }

  /// Writes a text in a place of some width; what does not fit is cut with an ellipsis. Texts of any script: one that runs from right
  /// to left stands in its place by `side` all the same.
  /// - Parameters:
  ///   - y: the upper edge.
  ///   - lines: so many lines at most.
  /// - Returns: its height.
  @discardableResult func text(
    _ text: String, _ x: Double, _ y: Double, width: Double, size: Double = 9, isBold: Bool = false,
    side: TextSide = .left, ink: Ink = .text, lines: Int32 = 1
  ) -> Double {
    guard let layout = self.layout(text, size: size, isBold: isBold) else { return 0 }
    defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
    Self.bound(layout, width, lines)
    // Left and right mean beginning and end to a text: one from right to left is turned.
    let first = pango_layout_get_line_readonly(layout, 0)
    let isTurned = first.map { pango_layout_line_get_resolved_direction($0) == PANGO_DIRECTION_RTL } ?? false
    let alignment: PangoAlignment =
      switch side {
      case .left: isTurned ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT
      case .right: isTurned ? PANGO_ALIGN_LEFT : PANGO_ALIGN_RIGHT
      case .middle: PANGO_ALIGN_CENTER
      }
    pango_layout_set_alignment(layout, alignment)
    set(ink)
    cairo_move_to(context, x, y)
    pango_cairo_show_layout(context, layout)
    return Self.size(of: layout).height
  }

  /// How high a text is in a place of some width, on so many lines at most.
  func height(of text: String, width: Double, size: Double = 9, isBold: Bool = false, lines: Int32 = 1) -> Double {
    guard let layout = self.layout(text, size: size, isBold: isBold) else { return 0 }
    defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
    Self.bound(layout, width, lines)
    return Self.size(of: layout).height
  }

  private static func bound(_ layout: OpaquePointer, _ width: Double, _ lines: Int32) {
    pango_layout_set_width(layout, Int32(max(1, min(width, 10_000)) * Double(PANGO_SCALE)))
    pango_layout_set_height(layout, -lines)
    pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
    pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
  }

  /// How wide a text is on one line.
  func width(of text: String, size: Double = 9, isBold: Bool = false) -> Double {
    guard let layout = self.layout(text, size: size, isBold: isBold) else { return 0 }
    defer { g_object_unref(UnsafeMutableRawPointer(layout)) }
    return Self.size(of: layout).width
  }

  private func layout(_ text: String, size: Double, isBold: Bool) -> OpaquePointer? {
    guard let layout = pango_cairo_create_layout(context) else { return nil }
    pango_cairo_context_set_font_options(pango_layout_get_context(layout), options)
    // Whole points would tear words of small letters apart, for eyes and for who searches them.
    pango_context_set_round_glyph_positions(pango_layout_get_context(layout), 0)
    pango_layout_context_changed(layout)
    let font = pango_font_description_new()
    pango_font_description_set_family(font, "Noto Sans, DejaVu Sans, sans-serif")
    pango_font_description_set_absolute_size(font, size * Double(PANGO_SCALE))
    pango_font_description_set_weight(font, isBold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL)
    pango_layout_set_font_description(layout, font)
    pango_font_description_free(font)
    pango_layout_set_single_paragraph_mode(layout, 1)
    pango_layout_set_text(layout, text, -1)
    return layout
  }

  private static func size(of layout: OpaquePointer) -> (width: Double, height: Double) {
    var (width, height): (Int32, Int32) = (0, 0)
    pango_layout_get_size(layout, &width, &height)
    return (Double(width) / Double(PANGO_SCALE), Double(height) / Double(PANGO_SCALE))
  }

  private func set(_ ink: Ink) { cairo_set_source_rgb(context, ink.red, ink.green, ink.blue) }
}
