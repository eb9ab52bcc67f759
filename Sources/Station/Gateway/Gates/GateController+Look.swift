import ScanModel

extension GateController {
  /// What a gate is doing, for whoever looks at the station.
  struct Look: Sendable {
    var isDeciding: Bool
    var offline: OfflineCause?
    var outputFault: String?
    var isMaintenanceOrdered: Bool
  }

  func look() -> Look {
    Look(
      isDeciding: deciding != nil, offline: offline, outputFault: signals.admissionFault,
      isMaintenanceOrdered: isMaintenanceOrdered)
  }
}
