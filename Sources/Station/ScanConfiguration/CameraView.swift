package import ScanModel

/// What a camera looks for, and how.
package struct CameraView: Sendable, Equatable {
  /// The size of a picture, in pixels.
  package struct Size: Sendable, Equatable {
    /// Pixels in a row.
    package var width: Int
    /// Rows.
    package var height: Int
  }

  /// How a camera sends its pictures, by V4L2's names.
  package enum Format: String, Sendable, CaseIterable {
    /// One byte a pixel.
    case grey = "GREY"
    /// A plane of grey, then interleaved colour.
    case nv12 = "NV12"
    /// A plane of grey, then two of colour.
    case yu12 = "YU12"
    /// Grey and colour by turns.
    case yuyv = "YUYV"
    /// A JPEG a picture.
    case mjpg = "MJPG"
  }

  /// The focus.
  package enum Focus: Sendable, Equatable {
    /// The camera focuses by itself.
    case auto
    /// Fixed, in units of the camera.
    case fixed(Int)
  }

  /// The frequency of the mains.
  package enum PowerLine: String, Sendable, CaseIterable {
    /// 50 Hz: Europe, most of Asia and Africa.
    case hertz50 = "50"
    /// 60 Hz: North America, parts of Asia and South America.
    case hertz60 = "60"
  }

  /// What is done with several codes at once.
  package enum Several: String, Sendable, CaseIterable {
    /// The one nearest to the centre is read.
    case nearest
    /// None is read.
    case refuse
  }

  /// The kinds of codes that are read; at least one.
  package var kinds: [Symbology]
  /// The size of the pictures.
  package var size: Size?
  /// Pictures a second that are wanted at least.
  package var rate: Int?
  /// How the camera sends its pictures.
  package var format: Format?
  /// A fixed exposure.
  package var exposure: Duration?
  /// The focus.
  package var focus: Focus?
  /// The frequency of the mains.
  package var powerLine: PowerLine?
  /// What is done with several codes at once.
  package var several = Several.nearest
  /// How long a code must be out of view before it counts as shown anew.
  package var leaves = Duration.seconds(1)
  /// Pictures a second that are looked at while nothing moves.
  package var idleRate = 10
}
