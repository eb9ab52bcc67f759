package import Reading
package import ScanModel

/// A reader: `readers.<name>`.
package enum ReaderConfiguration: Sendable, Equatable {
  /// The name of a technology.
  package enum Kind: String, Sendable, CaseIterable {
    /// A scanner that types.
    case wedge
    /// A scanner on a serial line.
    case serial
    /// A camera.
    case camera
  }

  /// A scanner that types.
  case wedge(WedgeConfiguration)
  /// A scanner on a serial line.
  case serial(SerialConfiguration)
  /// A camera.
  case camera(CameraConfiguration)

  /// The name.
  package var id: ReaderID {
    switch self {
    case .wedge(let wedge): wedge.id
    case .serial(let serial): serial.id
    case .camera(let camera): camera.id
    }
  }

  /// Which devices are this reader.
  package var place: DevicePlace {
    switch self {
    case .wedge(let wedge): wedge.place
    case .serial(let serial): serial.place
    case .camera(let camera): camera.place
    }
  }

  /// The technology's name.
  package var kind: Kind {
    switch self {
    case .wedge: .wedge
    case .serial: .serial
    case .camera: .camera
    }
  }
}

extension StationConfiguration {
  /// The station's wedges.
  package var wedges: [WedgeConfiguration] {
    readers.compactMap { if case .wedge(let wedge) = $0 { wedge } else { nil } }
  }

  /// The station's serial scanners.
  package var serials: [SerialConfiguration] {
    readers.compactMap { if case .serial(let serial) = $0 { serial } else { nil } }
  }

  /// The station's cameras.
  package var cameras: [CameraConfiguration] {
    readers.compactMap { if case .camera(let camera) = $0 { camera } else { nil } }
  }
}
