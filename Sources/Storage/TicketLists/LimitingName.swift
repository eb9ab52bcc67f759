/// Names of columns that seem to limit who may come in. What such a column means must be known: a list that lacks it would admit
/// more than was sold.
enum LimitingName {
  /// What a name that is not known may mean, the likeliest first; `nil` where it limits nothing, and nothing where it limits by what no
  /// meaning has.
  static func guess(_ name: String) -> [TicketColumn]? {
    let words = FoldedText.words(name)
    let key = words.joined()
    if harmless.contains(key, words) { return nil }
    // Two letters are a day only where nothing else is there: Sa/So.
    if words.contains(where: shortDays.words.contains),
      words.allSatisfy({ shortDays.words.contains($0) || between.contains($0) })
    {
      return [.day]
    }
    // Number and boletos is how many, number and boleto is which.
    if words.contains(where: counted.words.contains),
      words.allSatisfy({ counted.words.contains($0) || numbers.words.contains($0) })
    {
      return [.quantity]
    }
    return limits.first { $0.contains(key, words) }?.meanings
  }

  /// Words of names, folded.
  private struct Vocabulary {
    /// What a column may mean in whose name one of them stands, the likeliest first.
    let meanings: [TicketColumn]
    /// Wherever they stand in the name.
    var parts: [String] = []
    /// As a word of their own: too short to be looked for within others.
    var words: Set<String> = []

    /// - Parameter text: the words with blanks between; a star before those that are found within others.
    init(means meanings: [TicketColumn] = [], _ text: String...) {
      self.meanings = meanings
      for word in text.flatMap({ $0.split(separator: " ") }) {
        let keys = FoldedText.keys(of: String(word))
        if word.hasPrefix("*") { parts += keys } else { words.formUnion(keys) }
      }
    }

    func contains(_ key: String, _ words: [String]) -> Bool {
      parts.contains { key.contains($0) } || !self.words.isDisjoint(with: words)
    }
  }

  /// What limits, and how English, German, French and Spanish say it, a line each; the first that fits counts.
  private static let limits: [Vocabulary] = [
    Vocabulary(
      means: [.status],
      """
      *status *cancel *refund *unpaid *scanned *checkedin *checkin *redeem *blocked *revoked *deleted *validated *invalid paid \
      used state void voided settled
      """,
      """
      *zustand *storn *erstatt *bezahlt *gezahlt *entwert *eingelöst *einlös *gescannt *eingecheckt *gesperrt *gelöscht *ungültig \
      *widerruf benutzt verwendet
      """,
      """
      *statut *annul *rembours *utilisé *compost *bloque *supprimé paye payee état réglé réglée acquitté acquittée scanné \
      scannée
      """,
      """
      *estado *anulad *reembols *pagad *validad *utilizad *canjead *escanead *bloquead *eliminad *devuelt usado usada abonado \
      abonada
      """),
    Vocabulary(
      means: [.saleQuantity],
      "*totalquantity *totaltickets *totalpersons *totalguests *totalpeople",
      "*gesamtanzahl *gesamtmenge *gesamtzahl *gesamtpersonen",
      "*quantitétotale *nombretotal *totalbillets *totaldebillets *totalpersonnes *totaldepersonnes",
      "*cantidadtotal *númerototal *totalentradas *totaldeentradas *totalboletos *totaldeboletos *totalpersonas *totaldepersonas"
    ),
    Vocabulary(
      means: [.quantity],
      "*persons *admits *numberof *headcount *groupsize *partysize qty count pax pers",
      """
      *anzahl *menge *stück *personen *besucherzahl *teilnehmerzahl *gästezahl *gruppengröße anz kartenzahl ticketzahl kopfzahl
      """,
      "*quantit *personnes *nombrede *nombrebillets *tailledugroupe *tailledegroupe nb nbre nbr places qte",
      "*cantidad *personas *asistentes *plazas *númerodeentradas *númerodeboletos *tamañodelgrupo *tamañodegrupo cant"
    ),
    Vocabulary(
      means: [.day],
      """
      *weekday *weekend *monday *tuesday *wednesday *thursday *friday *saturday *sunday evening morning afternoon matinee
      """,
      """
      *wochentag *wochenende *montag *dienstag *mittwoch *donnerstag *freitag *samstag *sonnabend *sonntag abend vormittag \
      nachmittag
      """,
      "*joursemaine *lundi *mardi *mercredi *jeudi *vendredi *samedi *dimanche soir soirée matin matinée aprèsmidi",
      "*findesemana *finesdesemana *lunes *martes *miércoles *jueves *viernes *sábado *domingo noche tarde mañana"),
    Vocabulary(
      means: [.until],
      """
      *expir *validto *lastentry *latestentry *lastadmission *useby *bestbefore *arriveby *doorsclose *gatesclose until end ends \
      closes closing
      """,
      "*gültigbis *ablauf *verfall *nichtnach *letztereinlass bis ende schließt",
      "*jusqu *pasaprès *dernièreentrée fin fermeture",
      "*caduc *hasta *vencim *nodespuésde *últimaentrada cierre"),
    Vocabulary(
      means: [.from],
      """
      *validfrom *notbefore *firstentry *firstadmission *entryfrom *admissionfrom *accessfrom *doorsopen *gatesopen start starts \
      begin begins opens opening
      """,
      "*gültigab *beginn *nichtvor ab anfang öffnet öffnung",
      "*apartirdu *dèsle *pasavant *premièreentrée début ouverture",
      "*desde *apartirde *noantesde *primeraentrada inicio comienzo apertura"),
    Vocabulary(
      means: [.day],
      "date dates day days",
      "*datum *termin tag tage",
      "jour jours",
      "*fecha día días"),
    // A session or a time is of a day, or of a moment.
    Vocabulary(
      means: [.day, .from],
      "*timeslot *showtime session sessions slot time times show shows performance performances screening schedule hour hours",
      "*uhrzeit *zeitfenster *zeitraum *einlass *vorstellung *aufführung *sitzung zeit zeiten spielzeit stunde",
      "*créneau *horair *séance *représentation heure heures",
      "*franja *horario sesión sesiones funciones pase pases turno turnos hora horas"),
    Vocabulary(
      means: [.day, .until, .status],
      "*validity valid",
      "*gültig gilt",
      "*valable *valide *validité",
      "*valido *valida *válidez *vigen"),
    // Whom it is for: no meaning has that.
    Vocabulary(
      means: [],
      "*exclusive only",
      "*ausschließlich nur",
      "*exclusiv *seulement *uniquement",
      "*solamente *únicamente solo sólo sola"),
    Vocabulary(
      means: [.seat],
      "*seat row block sector area zone section",
      "*sitz *platz reihe sektor bereich",
      "*siège *fauteuil rang rangée",
      "*asiento *butaca fila zona"),
  ]

  private static let shortDays = Vocabulary(
    "mon tue tues wed thu thur thurs fri sat sun",
    "mo di mi do fr sa so",
    "lun mar mer jeu ven sam dim",
    "lun mar mié jue vie sáb dom")
  private static let between: Set<String> = ["and", "und", "et", "y", "to", "bis", "a"]

  /// What a number may be of.
  private static let counted = Vocabulary(
    "tickets guests people adults children visitors seats pers pax",
    "karten eintrittskarten gäste leute erwachsene kinder plätze",
    "billets invités adultes enfants entrées visiteurs",
    "entradas boletos invitados adultos niños visitantes")

  /// Words of a number, and what stands between.
  private static let numbers = Vocabulary(
    "number no num total of the",
    "nummer nr zahl der",
    "numéro nombre n nb nbre nbr de des d",
    "número núm nro cant los las")

  /// Of the order, the buyer, the money: none of that is looked at when somebody comes in.
  private static let harmless = Vocabulary(
    """
    *orderdate *orderedat *ordertime *orderday *purchase *created *updated *modified *birth *invoice *paidat *paidon *paymentdate \
    *paymenttime *exportdat *billing *shipping *price *amount fee fees tax currency
    """,
    """
    *bestelldat *bestellt *bestellzeit *kaufdat *kaufzeit *gekauft *buchungsdat *buchungszeit *verkaufsdat *geburt *rechnung \
    *bezahltam *zahldatum *zahlungsdatum *bundesstaat *platzier *erstell *angelegt *datumderbestell *preis *betrag gebühr steuer
    """,
    """
    *naissance *facture *achat *datedecommande *datecommande *datedelacommande *datedereservation *datedepaiement *datepaiement \
    *creation *prix *montant devise
    """,
    """
    *nacimiento *factura *compra *fechadepedido *fechadelpedido *fechapedido *fechadereserva *fechadepago *fechapago *creacion \
    *precio *importe moneda
    """)
}
