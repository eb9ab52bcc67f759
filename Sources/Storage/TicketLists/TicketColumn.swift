/// A language in which exports name their columns.
enum ExportLanguage: CaseIterable { case english, german, french, spanish }

/// What a column of an imported file can mean. The raw values are the words of `--column`.
enum TicketColumn: String, CaseIterable {
  case code, kind, status, day, zone, from, until, quantity
  case saleQuantity = "sale-quantity"
  case sale, event
  case eventID = "event-id"
  case ticketKind = "ticket-kind"
  case seat, seats, row, section, name, email
  /// Nothing here, as somebody said.
  case ignored

  /// What else is said for it on the command line.
  private static let otherWords: [String: TicketColumn] = ["show": .eventID, "holder": .name]

  /// All words of `--column`.
  static var words: [String] { allCases.map(\.rawValue) + otherWords.keys.sorted() }

  /// The meaning that somebody says.
  static func said(_ word: String) -> TicketColumn? { TicketColumn(rawValue: word) ?? otherWords[word] }

  /// Whether a file may have several of it: of states the strictest counts, names are put together.
  var isRepeatable: Bool { [.status, .name, .ignored].contains(self) }

  /// Whether of several the first of its names is taken. Of others that would let in more or fewer than were meant.
  var hasBestName: Bool {
    [.code, .sale, .event, .eventID, .ticketKind, .seat, .seats, .row, .section, .email].contains(self)
  }

  /// The names, the best one first, as in docs/tickets.md. How they are written does not matter: see `FoldedText`.
  func names(_ language: ExportLanguage) -> [String] {
    Self.written[language]?[self]?.split(separator: " ").map(String.init) ?? []
  }

  /// The names, with blanks between.
  private static let written: [ExportLanguage: [TicketColumn: String]] = [
    .english: [
      .code: "code ticket_code entry_secret secret ticket_secret sale_secret barcode qr_code qr url ticket_url link",
      .kind: "kind code_kind",
      .status: "status ticket_status usage_status payment_status sale_status order_status state",
      .day: "date event_date day event_day valid_on",
      .zone: "timezone time_zone",
      .from: "valid_from from starts_at not_before",
      .until: "valid_until until valid_to expires_at expires not_after",
      .quantity: "quantity qty admits persons",
      .saleQuantity: "sale_quantity total_quantity order_quantity",
      .sale: "sale sale_id order order_id order_number booking booking_id",
      .event: "event event_name",
      .eventID: "event_id show_id performance_id",
      .ticketKind: "ticket_type ticket_kind ticket_category category tier",
      .seat: "seat seat_number",
      .seats: "seats seat_numbers",
      .row: "row row_letter seat_row",
      .section: "section block",
      .name: "name holder attendee customer first_name last_name full_name",
      .email: "email mail email_address",
    ],
    .german: [
      .code: "ticketcode eintrittscode einlasscode strichcode qr_code",
      .kind: "codeart art_des_codes",
      .status: "ticketstatus zahlungsstatus bezahlstatus bestellstatus buchungsstatus auftragsstatus einlassstatus "
        + "zustand",
      .day: "datum tag veranstaltungsdatum veranstaltungstag termin gültig_am besuchsdatum besuchstag",
      .zone: "zeitzone",
      .from: "gültig_ab gültig_von gilt_ab einlass_ab",
      .until: "gültig_bis gilt_bis ablaufdatum läuft_ab_am",
      .quantity: "anzahl menge stückzahl personen personenzahl anzahl_personen",
      .saleQuantity: "gesamtmenge gesamtanzahl bestellmenge",
      .sale: "bestellung bestellnummer bestell_nr bestell_id auftrag auftragsnummer auftrags_nr buchung buchungsnummer "
        + "buchungs_nr verkauf verkaufsnummer",
      .event: "veranstaltung veranstaltungsname",
      .eventID: "veranstaltungs_id veranstaltungsnummer veranstaltungs_nr",
      .ticketKind: "ticketart tickettyp kartenart ticketkategorie kategorie",
      .seat: "sitz sitzplatz platz platznummer platz_nr",
      .seats: "sitze sitznummern platznummern",
      .row: "reihe",
      .section: "sektor bereich",
      .name: "inhaber kunde gast teilnehmer käufer besucher vorname nachname",
      .email: "e_mail_adresse mailadresse",
    ],
    .french: [
      .code: "code_billet code_du_billet code_barres code_barre code_à_barres code_qr",
      .kind: "type_de_code",
      .status: "statut état statut_billet statut_du_billet statut_paiement statut_de_paiement statut_du_paiement "
        + "statut_commande statut_de_la_commande",
      .day: "jour date_événement date_de_l_événement date_du_spectacle date_de_visite valable_le valide_le",
      .zone: "fuseau_horaire",
      .from: "valable_du valable_à_partir_du valide_du valide_à_partir_du valable_dès_le",
      .until: "valable_jusqu_au valable_jusqu_à valide_jusqu_au valide_jusqu_à date_d_expiration expire_le",
      .quantity: "quantité qté nombre_de_personnes nombre_de_places personnes",
      .saleQuantity: "quantité_totale",
      .sale: "commande numéro_de_commande n_de_commande n_commande réservation numéro_de_réservation n_de_réservation "
        + "vente",
      .event: "événement nom_de_l_événement spectacle manifestation",
      .eventID: "id_événement id_de_l_événement numéro_d_événement",
      .ticketKind: "type_de_billet type_billet catégorie_de_billet catégorie",
      .seat: "siège place numéro_de_place numéro_de_siège",
      .seats: "sièges numéros_de_place numéros_de_siège",
      .row: "rang rangée",
      .section: "secteur",
      .name: "nom prénom nom_complet titulaire client participant acheteur",
      .email: "courriel adresse_e_mail",
    ],
    .spanish: [
      .code: "código código_entrada código_de_entrada código_de_la_entrada código_de_barras código_qr",
      .kind: "tipo_de_código",
      .status: "estado estado_entrada estado_de_la_entrada estado_pago estado_de_pago estado_del_pago estado_pedido "
        + "estado_del_pedido estado_de_la_reserva",
      .day: "fecha día fecha_evento fecha_del_evento fecha_de_la_función fecha_de_visita válido_el",
      .zone: "zona_horaria huso_horario",
      .from: "válido_desde válida_desde vigente_desde",
      .until: "válido_hasta válida_hasta vigente_hasta fecha_de_caducidad caduca_el",
      .quantity: "cantidad cant personas número_de_personas plazas número_de_plazas",
      .saleQuantity: "cantidad_total",
      .sale: "pedido número_de_pedido n_de_pedido n_pedido reserva número_de_reserva n_de_reserva venta",
      .event: "evento nombre_del_evento espectáculo función",
      .eventID: "id_evento id_del_evento número_de_evento",
      .ticketKind: "tipo_de_entrada tipo_entrada categoría_de_entrada categoría",
      .seat: "asiento butaca número_de_asiento",
      .seats: "asientos butacas números_de_asiento",
      .row: "fila",
      .section: "sector sección",
      .name: "nombre_completo apellidos titular cliente asistente comprador",
      .email: "correo correo_electrónico",
    ],
  ]

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

  /// Says which show, where something else says when: alone it may say that, too.
  static let show = "show"

  /// A number in French, a name in Spanish.
  static let ambiguous = "nombre"
}
