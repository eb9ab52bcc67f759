internal import StationProtocol
internal import TicketSystemKit

extension StationSnapshot.Branding {
  /// What listeners are told of it.
  init(_ branding: SystemBranding) {
    self.init(
      name: branding.name, logoText: branding.logoText, background: branding.page.ground, text: branding.page.text,
      primary: branding.primary.ground, onPrimary: branding.primary.text, accent: branding.accent.ground,
      onAccent: branding.accent.text)
  }
}

extension StationSnapshot.Seats {
  /// What listeners are told of it.
  init(_ seats: SystemSeats) {
    self.init(
      capacity: seats.capacity, sold: seats.sold,
      kinds: seats.kinds.map { Kind(name: $0.name, capacity: $0.capacity, sold: $0.sold) })
  }
}
