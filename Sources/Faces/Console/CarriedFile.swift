import CCarried

/// The files that the console has within itself.
enum CarriedFile {
  /// `docs/openapi.json`.
  static var document: [UInt8] { carried_openapi().bytes }
  /// `Pages/texts.json`.
  static var pageTexts: [UInt8] { carried_page_texts().bytes }

  // Of `Pages/Static`.
  static var style: [UInt8] { carried_page_style().bytes }
  static var live: [UInt8] { carried_page_live_script().bytes }
  static var device: [UInt8] { carried_page_device_script().bytes }
  static var icon: [UInt8] { carried_page_icon().bytes }
}

extension carried_file {
  var bytes: [UInt8] { [UInt8](UnsafeBufferPointer(start: start, count: count)) }
}
