internal import ScanModel

/// What ticket systems call the states of tickets, in four languages. docs/tickets.md lists them in the same spelling.
enum StatusWords {
  /// `payé(e)` is payé and payée; `pagado/a` is pagado and pagada.
  static let written: [ListedTicket.Status: [String]] = [
    .valid: [
      "valid", "paid", "unused", "active", "ok", "confirmed", "complete", "completed", "issued", "sold", "free",
      "settled",
      "gültig", "bezahlt", "unbenutzt", "aktiv", "bestätigt", "abgeschlossen", "ausgestellt", "verkauft", "kostenlos",
      "gezahlt",
      "valide", "valable", "payé(e)", "non_utilisé(e)", "actif", "confirmé(e)", "terminé(e)", "émis(e)", "vendu(e)",
      "gratuit(e)", "réglé(e)", "acquitté(e)",
      "válido/a", "pagado/a", "no_usado/a", "sin_usar", "activo/a", "confirmado/a", "completado/a", "emitido/a",
      "vendido/a", "gratis", "abonado/a",
    ],
    .unpaid: [
      "unpaid", "pending", "open", "reserved", "due", "overdue", "on_hold",
      "unbezahlt", "nicht_bezahlt", "offen", "ausstehend", "reserviert", "fällig", "überfällig", "angezahlt",
      "impayé(e)", "non_payé(e)", "en_attente", "en_attente_de_paiement", "à_payer", "réservé(e)",
      "impagado/a", "no_pagado/a", "sin_pagar", "pendiente", "pendiente_de_pago", "reservado/a",
    ],
    .cancelled: [
      "cancelled", "canceled", "deleted", "void", "voided", "revoked", "invalid", "blocked", "failed", "cancellation",
      "storniert", "gelöscht", "ungültig", "widerrufen", "gesperrt", "abgebrochen", "fehlgeschlagen", "annulliert",
      "storno", "stornierung",
      "annulé(e)", "supprimé(e)", "invalide", "non_valide", "bloqué(e)", "échoué(e)", "refusé(e)", "annulation",
      "anulado/a", "cancelado/a", "eliminado/a", "inválido/a", "no_válido/a", "bloqueado/a", "fallido/a", "rechazado/a",
      "cancelación", "anulación",
    ],
    .refunded: [
      "refunded", "refund", "partially_refunded",
      "erstattet", "rückerstattet", "zurückerstattet", "teilweise_erstattet", "teilerstattet",
      "remboursé(e)", "partiellement_remboursé(e)",
      "reembolsado/a", "devuelto/a", "parcialmente_reembolsado/a",
    ],
    .expired: [
      "expired", "abgelaufen", "verfallen", "expiré(e)", "périmé(e)", "expirado/a", "caducado/a", "vencido/a",
    ],
    .used: [
      "used", "scanned", "checked_in", "redeemed", "admitted",
      "benutzt", "verwendet", "eingelöst", "entwertet", "gescannt", "eingecheckt",
      "utilisé(e)", "scanné(e)", "composté(e)",
      "usado/a", "utilizado/a", "escaneado/a", "canjeado/a",
    ],
  ]

  /// The state that a cell names; `nil` for words that are not known.
  static func status(_ text: String) -> ListedTicket.Status? {
    let key = FoldedText.key(text)
    // Validé says that somebody went in on it, and valide that somebody may.
    if key == accented, text.unicodeScalars.contains(where: { !$0.isASCII }) { return nil }
    return known[key]
  }

  private static let accented = "valide"

  private static let known: [String: ListedTicket.Status] = {
    var all: [String: ListedTicket.Status] = [:]
    for (status, words) in written {
      for word in words { for key in spellings(word).flatMap(FoldedText.keys(of:)) { all[key] = status } }
    }
    return all
  }()

  private static func spellings(_ word: String) -> [String] {
    if word.hasSuffix("(e)") { return [String(word.dropLast(3)), String(word.dropLast(3)) + "e"] }
    if word.hasSuffix("o/a") { return [String(word.dropLast(2)), String(word.dropLast(3)) + "a"] }
    return [word]
  }

  /// The words of kinds of code.
  static func kind(_ text: String) -> CodeKind? { kinds[FoldedText.key(text)] }

  static let entries = ["entry", "ticket", "einzelticket", "eintritt", "billet", "entrée", "entrada"]
  static let sales = [
    "sale", "order", "booking", "bestellung", "verkauf", "buchung", "commande", "vente", "pedido", "venta",
  ]

  private static let kinds: [String: CodeKind] = {
    var all: [String: CodeKind] = [:]
    for word in entries { all[FoldedText.key(word)] = .entry }
    for word in sales { all[FoldedText.key(word)] = .sale }
    return all
  }()
}
