/// A language in which exports name their columns.
enum ExportLanguage: CaseIterable { case english, german, french, spanish }

/// What a column of an imported file can mean. The raw values are the words of `--column`.
enum TicketColumn: String, CaseIterable {
  case code, kind, status, day, zone, from, until, quantity
  case saleQuantity = "sale-quantity"
  case sale, event
  case eventID = "event-id"
  case ticketKind = "ticket-kind"
  case seat, name, email
  /// Nothing here, as somebody said.
  case ignored

  /// Whether a file may have several of it: of states the strictest counts, names are put together, seats are not looked at.
  var isRepeatable: Bool { [.status, .name, .seat, .ignored].contains(self) }

  /// Whether of several the first of its names is taken. Of others that would let in more or fewer than were meant.
  var hasBestName: Bool { [.code, .sale, .event, .eventID, .ticketKind, .email].contains(self) }

  /// The names, the best one first, as in docs/tickets.md. How they are written does not matter: see `FoldedText`.
  func names(_ language: ExportLanguage) -> [String] {
    switch language {
    case .english: english
    case .german: german
    case .french: french
    case .spanish: spanish
    }
  }

  private var english: [String] {
    switch self {
    case .code:
      [
        "code", "ticket_code", "entry_secret", "secret", "ticket_secret", "sale_secret", "barcode", "qr_code", "qr",
        "url", "ticket_url", "link",
      ]
    case .kind: ["kind", "code_kind"]
    case .status:
      ["status", "ticket_status", "usage_status", "payment_status", "sale_status", "order_status", "state"]
    case .day: ["date", "event_date", "day", "event_day", "valid_on"]
    case .zone: ["timezone", "time_zone"]
    case .from: ["valid_from", "from", "starts_at", "not_before"]
    case .until: ["valid_until", "until", "valid_to", "expires_at", "expires", "not_after"]
    case .quantity: ["quantity", "qty", "admits", "persons"]
    case .saleQuantity: ["sale_quantity", "total_quantity", "order_quantity"]
    case .sale: ["sale", "sale_id", "order", "order_id", "order_number", "booking", "booking_id"]
    case .event: ["event", "event_name"]
    case .eventID: ["event_id", "show_id", "performance_id"]
    case .ticketKind: ["ticket_type", "ticket_kind", "ticket_category", "category", "tier"]
    case .seat: ["seat", "seat_number", "row", "block"]
    case .name: ["name", "holder", "attendee", "customer", "first_name", "last_name", "full_name"]
    case .email: ["email", "mail", "email_address"]
    case .ignored: []
    }
  }

  private var german: [String] {
    switch self {
    case .code: ["ticketcode", "eintrittscode", "einlasscode", "strichcode", "qr_code"]
    case .kind: ["codeart", "art_des_codes"]
    case .status:
      [
        "ticketstatus", "zahlungsstatus", "bezahlstatus", "bestellstatus", "buchungsstatus", "auftragsstatus",
        "einlassstatus", "zustand",
      ]
    case .day:
      [
        "datum", "tag", "veranstaltungsdatum", "veranstaltungstag", "termin", "gültig_am", "besuchsdatum", "besuchstag",
      ]
    case .zone: ["zeitzone"]
    case .from: ["gültig_ab", "gültig_von", "gilt_ab", "einlass_ab"]
    case .until: ["gültig_bis", "gilt_bis", "ablaufdatum", "läuft_ab_am"]
    case .quantity: ["anzahl", "menge", "stückzahl", "personen", "personenzahl", "anzahl_personen"]
    case .saleQuantity: ["gesamtmenge", "gesamtanzahl", "bestellmenge"]
    case .sale:
      [
        "bestellung", "bestellnummer", "bestell_nr", "bestell_id", "auftrag", "auftragsnummer", "auftrags_nr",
        "buchung",
        "buchungsnummer", "buchungs_nr", "verkauf", "verkaufsnummer",
      ]
    case .event: ["veranstaltung", "veranstaltungsname"]
    case .eventID: ["veranstaltungs_id", "veranstaltungsnummer", "veranstaltungs_nr"]
    case .ticketKind: ["ticketart", "tickettyp", "kartenart", "ticketkategorie", "kategorie"]
    case .seat: ["sitz", "sitzplatz", "platz", "platznummer", "platz_nr", "reihe"]
    case .name: ["inhaber", "kunde", "gast", "teilnehmer", "käufer", "besucher", "vorname", "nachname"]
    case .email: ["e_mail_adresse", "mailadresse"]
    case .ignored: []
    }
  }

  private var french: [String] {
    switch self {
    case .code: ["code_billet", "code_du_billet", "code_barres", "code_barre", "code_à_barres", "code_qr"]
    case .kind: ["type_de_code"]
    case .status:
      [
        "statut", "état", "statut_billet", "statut_du_billet", "statut_paiement", "statut_de_paiement",
        "statut_du_paiement", "statut_commande", "statut_de_la_commande",
      ]
    case .day:
      [
        "jour", "date_événement", "date_de_l_événement", "date_du_spectacle", "date_de_visite", "valable_le",
        "valide_le",
      ]
    case .zone: ["fuseau_horaire"]
    case .from: ["valable_du", "valable_à_partir_du", "valide_du", "valide_à_partir_du", "valable_dès_le"]
    case .until:
      ["valable_jusqu_au", "valable_jusqu_à", "valide_jusqu_au", "valide_jusqu_à", "date_d_expiration", "expire_le"]
    case .quantity: ["quantité", "qté", "nombre_de_personnes", "nombre_de_places", "personnes"]
    case .saleQuantity: ["quantité_totale"]
    case .sale:
      [
        "commande", "numéro_de_commande", "n_de_commande", "n_commande", "réservation", "numéro_de_réservation",
        "n_de_réservation", "vente",
      ]
    case .event: ["événement", "nom_de_l_événement", "spectacle", "manifestation"]
    case .eventID: ["id_événement", "id_de_l_événement", "numéro_d_événement"]
    case .ticketKind: ["type_de_billet", "type_billet", "catégorie_de_billet", "catégorie"]
    case .seat: ["siège", "place", "numéro_de_place", "numéro_de_siège", "rang", "rangée"]
    case .name: ["nom", "prénom", "nom_complet", "titulaire", "client", "participant", "acheteur"]
    case .email: ["courriel", "adresse_e_mail"]
    case .ignored: []
    }
  }

  private var spanish: [String] {
    switch self {
    case .code:
      ["código", "código_entrada", "código_de_entrada", "código_de_la_entrada", "código_de_barras", "código_qr"]
    case .kind: ["tipo_de_código"]
    case .status:
      [
        "estado", "estado_entrada", "estado_de_la_entrada", "estado_pago", "estado_de_pago", "estado_del_pago",
        "estado_pedido", "estado_del_pedido", "estado_de_la_reserva",
      ]
    case .day:
      ["fecha", "día", "fecha_evento", "fecha_del_evento", "fecha_de_la_función", "fecha_de_visita", "válido_el"]
    case .zone: ["zona_horaria", "huso_horario"]
    case .from: ["válido_desde", "válida_desde", "vigente_desde"]
    case .until: ["válido_hasta", "válida_hasta", "vigente_hasta", "fecha_de_caducidad", "caduca_el"]
    case .quantity: ["cantidad", "cant", "personas", "número_de_personas", "plazas", "número_de_plazas"]
    case .saleQuantity: ["cantidad_total"]
    case .sale:
      [
        "pedido", "número_de_pedido", "n_de_pedido", "n_pedido", "reserva", "número_de_reserva", "n_de_reserva",
        "venta",
      ]
    case .event: ["evento", "nombre_del_evento", "espectáculo", "función"]
    case .eventID: ["id_evento", "id_del_evento", "número_de_evento"]
    case .ticketKind: ["tipo_de_entrada", "tipo_entrada", "categoría_de_entrada", "categoría"]
    case .seat: ["asiento", "butaca", "número_de_asiento", "fila"]
    case .name: ["nombre_completo", "apellidos", "titular", "cliente", "asistente", "comprador"]
    case .email: ["correo", "correo_electrónico"]
    case .ignored: []
    }
  }

  /// What a name means, by its key, and in which languages it says so.
  static let known: [String: (meaning: TicketColumn, rank: Int, languages: Set<ExportLanguage>)] = {
    var all: [String: (meaning: TicketColumn, rank: Int, languages: Set<ExportLanguage>)] = [:]
    for meaning in allCases {
      var rank = 0
      for language in ExportLanguage.allCases {
        for key in meaning.names(language).flatMap(FoldedText.keys(of:)) {
          all[key, default: (meaning, rank, [])].languages.insert(language)
          rank += 1
        }
      }
    }
    return all
  }()

  /// A number in French, a name in Spanish.
  static let ambiguous = "nombre"
}
