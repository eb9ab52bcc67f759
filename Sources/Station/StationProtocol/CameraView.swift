internal import WireCoding

/// A picture of a reader's camera for whoever asked to see it, and what was read in it. It may show people: nobody keeps it.
package struct CameraView: Hashable, Sendable {
  /// A code that was read in it.
  package struct Seen: Hashable, Sendable {
    /// Its kind, by the names of the configuration.
    package var symbology: String
    /// Its last characters, after an ellipsis.
    package var code: String
    /// Its corners in pixels of the picture, in order around it; none where they are not known.
    package var corners: [Corner]

    package init(symbology: String, code: String, corners: [Corner]) {
      self.symbology = symbology
      self.code = code
      self.corners = corners
    }
  }

  /// A place in the picture, from its upper left.
  package struct Corner: Hashable, Sendable {
    package var x: UInt16
    package var y: UInt16

    package init(x: UInt16, y: UInt16) {
      self.x = x
      self.y = y
    }
  }

  /// How light it is. The raw values are the names of texts.
  package enum Light: String, Sendable, CaseIterable {
    /// Nothing but black: something is before the camera, or there is no light.
    case covered
    /// Little light.
    case dark
    /// Enough.
    case good
    /// So much that what is white has no shades left.
    case glaring
    /// Light enough, and everything alike: fog, a wall, a cloth.
    case flat
  }

  /// The file: a JPEG in grey, at most `StationLimits.maximumPicture` bytes.
  package var jpeg: [UInt8]
  /// Its size in pixels.
  package var width: UInt16
  package var height: UInt16
  /// How the camera sends its pictures, such as `1280x720 MJPG`.
  package var format: String
  /// How long ago it was taken.
  package var age: Duration
  /// Tenths of pictures a second that came lately; `nil` where that is not known yet.
  package var rate: UInt16?
  /// How light it is.
  package var light: Light
  /// Mean brightness, 0 (black) to 255.
  package var brightness: UInt8
  /// Whether it is byte by byte the one before it, as no sensor's is.
  package var isFrozen: Bool
  /// What was read in it.
  package var seen: [Seen]

  package init(
    jpeg: [UInt8], width: UInt16, height: UInt16, format: String, age: Duration, rate: UInt16? = nil,
    light: Light = .good, brightness: UInt8 = 128, isFrozen: Bool = false, seen: [Seen] = []
  ) {
    self.jpeg = jpeg
    self.width = width
    self.height = height
    self.format = format
    self.age = age
    self.rate = rate
    self.light = light
    self.brightness = brightness
    self.isFrozen = isFrozen
    self.seen = seen
  }
}

extension WireWriter {
  mutating func put(_ picture: CameraView) {
    put(bytes: picture.jpeg.prefix(StationLimits.maximumPicture))
    put(picture.width, picture.height, picture.format)
    put(picture.age)
    putOptional(picture.rate) { $0.put($1) }
    put(picture.light.rawValue, picture.brightness, picture.isFrozen)
    putList(picture.seen.prefix(StationLimits.maximumSeen)) { writer, seen in
      writer.put(seen.symbology, seen.code)
      writer.putList(seen.corners.prefix(StationLimits.maximumCorners)) { $0.put($1.x, $1.y) }
    }
  }
}

extension WireReader {
  mutating func takeCameraView() throws(WireError) -> CameraView {
    var picture = CameraView(
      jpeg: try takeBytes(limit: StationLimits.maximumPicture), width: try take(), height: try take(),
      format: try takeText(), age: try takeDuration())
    picture.rate = try takeOptional { (reader) throws(WireError) in try reader.take() }
    picture.light = try takeWord()
    picture.brightness = try take()
    picture.isFrozen = try takeFlag()
    picture.seen = try takeList(limit: StationLimits.maximumSeen) { (reader) throws(WireError) in
      CameraView.Seen(
        symbology: try reader.takeText(), code: try reader.takeText(),
        corners: try reader.takeList(limit: StationLimits.maximumCorners) { (reader) throws(WireError) in
          CameraView.Corner(x: try reader.take(), y: try reader.take())
        })
    }
    return picture
  }
}
