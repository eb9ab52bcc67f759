/// Names of columns that seem to limit who may come in. What such a column means must be known: a list that lacks it would admit
/// more than was sold.
enum LimitingName {
  /// What a name that is not known seems to say; `nil` where it limits nothing.
  static func guess(_ name: String) -> TicketColumn? {
    let words = FoldedText.words(name)
    let key = words.joined()
    if harmless.contains(where: { key.contains($0) }) || !harmlessWords.isDisjoint(with: words) { return nil }
    return stems.first { stem in
      stem.parts.contains { key.contains($0) } || !stem.words.isDisjoint(with: words)
    }?.meaning
  }

  private struct Stem {
    var meaning: TicketColumn
    /// Wherever they stand in the name.
    var parts: [String]
    /// As a word of their own: too short to be looked for within others.
    var words: Set<String> = []
  }

  private static let stems = [
    Stem(
      meaning: .status,
      parts: [
        "status", "statut", "estado", "zustand", "storn", "cancel", "annul", "anulad", "refund", "erstatt", "rembours",
        "reembols", "bezahlt", "unpaid", "pagad", "entwert", "eingeloest", "eingelost", "einloes", "gescannt",
        "scanned",
        "checkedin", "checkin", "eingecheckt", "redeem", "gesperrt", "blocked", "bloque", "revoked", "geloescht",
        "deleted", "validated", "ungueltig", "invalid", "utilise", "compost",
      ], words: ["paid", "paye", "payee", "used", "usado", "state", "etat", "void", "benutzt", "valid", "gueltig"]),
    Stem(
      meaning: .saleQuantity,
      parts: ["gesamtanzahl", "gesamtmenge", "totalquantity", "totaltickets", "cantidadtotal", "quantitetotale"]),
    Stem(
      meaning: .quantity,
      parts: [
        "anzahl", "menge", "quantit", "cantidad", "stueck", "stuck", "personen", "persons", "personas", "personnes",
        "admits", "asistentes", "plazas", "besucherzahl",
        "numberof", "nombrede", "nombrebillets", "numerodeentradas",
      ], words: ["qty", "count", "pax", "nb", "places", "qte", "cant"]),
    Stem(
      meaning: .until,
      parts: ["gueltigbis", "gultigbis", "ablauf", "expir", "verfall", "caduc", "hasta", "jusqu", "vencim", "validto"],
      words: ["until", "bis", "ende", "end", "fin", "ends"]),
    Stem(
      meaning: .from,
      parts: ["gueltigab", "gultigab", "validfrom", "desde", "apartirdu", "beginn", "notbefore"],
      words: ["ab", "start", "starts", "debut", "inicio"]),
    Stem(
      meaning: .day,
      parts: [
        "datum", "fecha", "gueltig", "gultig", "valable", "valide", "valido", "uhrzeit", "zeitfenster", "timeslot",
        "einlass",
        "creneau", "franja", "termin", "wochentag",
      ],
      words: [
        "date", "dates", "day", "days", "tag", "tage", "jour", "jours", "dia", "dias", "slot", "time", "hora", "heure",
      ]),
    Stem(
      meaning: .seat,
      parts: ["seat", "sitz", "platz", "asiento", "butaca", "siege", "fauteuil"],
      words: ["row", "reihe", "fila", "rang", "block", "sektor", "sector", "bereich", "area", "section"]),
  ]

  /// Of the order, the buyer, the money: none of that is looked at when somebody comes in.
  private static let harmless = [
    "orderdate", "orderedat", "ordertime", "orderday", "purchase", "created", "updated", "modified", "bestelldat",
    "bestellt", "bestellzeit", "kaufdat", "kaufzeit", "gekauft", "buchungsdat", "buchungszeit", "verkaufsdat", "birth",
    "geburt",
    "naissance", "nacimiento", "rechnung", "invoice", "facture", "factura", "achat", "compra", "datedecommande",
    "datecommande", "datedelacommande", "datedereservation", "fechadepedido", "fechadelpedido", "fechapedido",
    "fechadereserva", "paidat", "paidon", "paymentdate", "paymenttime", "bezahltam", "zahldatum", "zahlungsdatum",
    "datedepaiement", "datepaiement", "fechadepago", "fechapago", "exportdat", "billing", "shipping", "bundesstaat",
    "platzier",
    "creation", "creacion", "erstell", "angelegt", "datumderbestell", "price", "preis", "prix", "precio", "amount",
    "betrag",
    "montant", "importe",
  ]
  private static let harmlessWords: Set<String> = [
    "fee", "fees", "gebuehr", "tax", "steuer", "devise", "moneda", "currency",
  ]
}
