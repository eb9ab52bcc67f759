import Reports
import ScanModel

/// What reports call what the journal calls by a name of its own, in all languages. A name that is not here is shown as the journal has it.
enum PageNames {
  static func decider(_ name: String) -> PageText? { deciders[name] }
  static func reason(_ name: String) -> PageText? { reasons[name] ?? states[name] }
  static func state(_ name: String) -> PageText? { states[name] ?? orders[name] }

  static let deciders: [String: PageText] = [
    "server": PageText("ticket system", de: "Ticketsystem", fr: "billetterie", es: "sistema de entradas"),
    "ledger": PageText(
      "station’s book", de: "Buch der Station", fr: "registre de la station", es: "libro de la estación"),
    "list": PageText("list on board", de: "Liste an Bord", fr: "liste à bord", es: "lista a bordo"),
    "policy": PageText("gate by itself", de: "Durchgang allein", fr: "passage seul", es: "acceso solo"),
    "station": PageText("station", de: "Station", fr: "station", es: "estación"),
    "staff": PageText("staff", de: "Personal", fr: "personnel", es: "personal"),
  ]

  static let reasons: [String: PageText] = [
    "unreadable": PageText(
      "no ticket of this gate", de: "kein Ticket dieses Durchgangs", fr: "pas un billet de ce passage",
      es: "no es entrada de este acceso"),
    "notFound": PageText("unknown ticket", de: "unbekanntes Ticket", fr: "billet inconnu", es: "entrada desconocida"),
    "wrongDay": PageText(
      "not for that day", de: "nicht für diesen Tag", fr: "pas pour ce jour", es: "no es para ese día"),
    "unpaid": PageText("not paid", de: "nicht bezahlt", fr: "non payé", es: "sin pagar"),
    "cancelled": PageText("cancelled", de: "storniert", fr: "annulé", es: "cancelada"),
    "refunded": PageText("refunded", de: "erstattet", fr: "remboursé", es: "reembolsada"),
    "expired": PageText("expired", de: "abgelaufen", fr: "expiré", es: "caducada"),
    "alreadyUsed": PageText("already used", de: "schon benutzt", fr: "déjà utilisé", es: "ya usada"),
    "notAuthorised": PageText(
      "of an event of others", de: "von einem anderen Veranstalter", fr: "d’un autre organisateur",
      es: "de otro organizador"),
    "wrongEvent": PageText(
      "for another event", de: "für eine andere Veranstaltung", fr: "pour un autre événement", es: "para otro evento"),
    "wrongKind": PageText(
      "not for this gate", de: "nicht für diesen Durchgang", fr: "pas pour ce passage", es: "no es para este acceso"),
    "tooEarly": PageText("too early", de: "zu früh", fr: "trop tôt", es: "demasiado pronto"),
    "tooLate": PageText("too late", de: "zu spät", fr: "trop tard", es: "demasiado tarde"),
    "tooSoon": PageText(
      "used a short while ago", de: "gerade eben benutzt", fr: "utilisé il y a peu", es: "usada hace poco"),
    "notGenuine": PageText("forged", de: "gefälscht", fr: "falsifié", es: "falsificada"),
    "keyRefused": PageText("the key was refused", de: "Schlüssel abgewiesen", fr: "clé refusée", es: "clave rechazada"),
    "accessDenied": PageText(
      "the key may not scan", de: "Schlüssel darf nicht scannen", fr: "clé sans droit de scanner",
      es: "la clave no puede escanear"),
    "keyBlocked": PageText("the key was blocked", de: "Schlüssel gesperrt", fr: "clé bloquée", es: "clave bloqueada"),
    "rateLimited": PageText("too many scans", de: "zu viele Scans", fr: "trop de scans", es: "demasiadas lecturas"),
    "unreachable": PageText("no answer", de: "keine Antwort", fr: "pas de réponse", es: "sin respuesta"),
    "tlsFault": PageText(
      "certificate not believed", de: "Zertifikat nicht vertrauenswürdig", fr: "certificat non reconnu",
      es: "certificado no fiable"),
    "clockWrong": PageText(
      "a clock was wrong", de: "eine Uhr ging falsch", fr: "une horloge n’était pas à l’heure", es: "un reloj iba mal"),
    "badAnswer": PageText(
      "answer not understood", de: "Antwort unverständlich", fr: "réponse incomprise", es: "respuesta no entendida"),
    "interrupted": PageText("cut off", de: "abgebrochen", fr: "interrompu", es: "interrumpida"),
    "stale": PageText("waited too long", de: "zu lange gewartet", fr: "trop attendu", es: "esperó demasiado"),
    "busy": PageText("too many at once", de: "zu viele auf einmal", fr: "trop à la fois", es: "demasiados a la vez"),
    "outOfService": PageText("out of service", de: "außer Betrieb", fr: "hors service", es: "fuera de servicio"),
    NamedCounts.others: PageTexts.others,
  ]

  /// What became of admissions, requests and orders, and what faults are.
  static let states: [String: PageText] = [
    "waiting": PageText("not told yet", de: "noch nicht gemeldet", fr: "pas encore transmise", es: "aún sin comunicar"),
    "confirmed": PageText("confirmed", de: "bestätigt", fr: "confirmée", es: "confirmada"),
    "contradicted": PageText("refused later", de: "später abgelehnt", fr: "refusée ensuite", es: "rechazada después"),
    "unsettled": PageText("not settled", de: "nicht geklärt", fr: "non résolue", es: "sin resolver"),
    "tooLate": PageText(
      "told too late", de: "zu spät gemeldet", fr: "transmise trop tard", es: "comunicada demasiado tarde"),
    "withdrawn": PageText("withdrawn", de: "zurückgezogen", fr: "retirée", es: "retirada"),
    "ended": PageText("ended", de: "beendet", fr: "terminée", es: "terminada"),
    "pending": PageText("pending", de: "offen", fr: "en cours", es: "pendiente"),
    "lost": PageText("answer lost", de: "Antwort verloren", fr: "réponse perdue", es: "respuesta perdida"),
    "open": PageText("open", de: "offen", fr: "ouverte", es: "abierta"),
    "interrupted": PageText("cut off", de: "abgebrochen", fr: "interrompue", es: "interrumpida"),
    "a request of which no answer tells": PageText(
      "a request of which no answer tells", de: "eine Anfrage ohne Antwort", fr: "une demande sans réponse",
      es: "una petición sin respuesta"),
    "undecided": PageText("undecided", de: "unentschieden", fr: "indécis", es: "sin decidir"),
    "outputs": PageText("outputs", de: "Ausgänge", fr: "sorties", es: "salidas"),
    "too many scans": PageText("too many scans", de: "zu viele Scans", fr: "trop de scans", es: "demasiadas lecturas"),
    "start": PageText("start", de: "Start", fr: "démarrage", es: "arranque"),
    "the gateway had been killed, or lost its power": PageText(
      "the gateway had been killed, or lost its power", de: "das Gateway war abgebrochen oder stromlos",
      fr: "la passerelle avait été tuée ou privée de courant", es: "la pasarela fue interrumpida o quedó sin corriente"),
    "done": PageText("done", de: "getan", fr: "fait", es: "hecho"),
    "refused": PageText("not done", de: "nicht getan", fr: "pas fait", es: "no hecho"),
    "unknown": PageText("not known", de: "nicht bekannt", fr: "inconnu", es: "no se sabe"),
    "not known": PageText("not known", de: "nicht bekannt", fr: "inconnu", es: "no se sabe"),
    "notAllowed": PageText("not allowed", de: "nicht erlaubt", fr: "pas permis", es: "no permitido"),
    "stale": PageText("came too late", de: "kam zu spät", fr: "arrivé trop tard", es: "llegó tarde"),
    "tooMany": PageText("too many", de: "zu viele", fr: "trop", es: "demasiadas"),
    "pulsing": PageText("just open", de: "gerade offen", fr: "déjà ouvert", es: "ya abierto"),
    "nothingToAnnul": PageText(
      "nothing to take back", de: "nichts zurückzunehmen", fr: "rien à reprendre", es: "nada que retirar"),
    "busy": PageText("busy", de: "beschäftigt", fr: "occupé", es: "ocupado"),
    "notInMaintenance": PageText(
      "not in maintenance", de: "nicht in Wartung", fr: "pas en maintenance", es: "no en mantenimiento"),
    "outOfService": PageText("out of service", de: "außer Betrieb", fr: "hors service", es: "fuera de servicio"),
    "notWritten": PageText("not written down", de: "nicht festgehalten", fr: "non consigné", es: "no anotado"),
    "nothingThere": PageText("nothing for that", de: "nichts dafür da", fr: "rien pour cela", es: "nada para eso"),
  ]

  static let orders: [String: PageText] = [
    "maintenance": PageText("maintenance", de: "Wartung", fr: "maintenance", es: "mantenimiento"),
    "openOnce": PageText("open once", de: "einmal öffnen", fr: "ouvrir une fois", es: "abrir una vez"),
    "annul": PageText("take back", de: "zurücknehmen", fr: "reprendre", es: "retirar"),
    "present": PageText("typed code", de: "getippter Code", fr: "code saisi", es: "código tecleado"),
    "search": PageText("search", de: "Suche", fr: "recherche", es: "búsqueda"),
    "outboxHold": PageText(
      "hold the outbox", de: "Sendeliste anhalten", fr: "retenir les envois", es: "retener envíos"),
    "outboxRetry": PageText(
      "tell what is owed", de: "Ausstehendes melden", fr: "transmettre le dû", es: "comunicar lo pendiente"),
    "listRefresh": PageText("fetch the list", de: "Liste holen", fr: "charger la liste", es: "obtener la lista"),
    "arming": PageText("arm outputs", de: "Ausgänge scharf schalten", fr: "armer les sorties", es: "armar las salidas"),
    "signalTest": PageText("signal test", de: "Signalprobe", fr: "essai de signal", es: "prueba de señal"),
    "journalAccept": PageText(
      "accept the journal", de: "Journal annehmen", fr: "accepter le journal", es: "aceptar el diario"),
    "status": PageText("status", de: "Status", fr: "statut", es: "estado"),
    "acknowledge": PageText("conflict seen", de: "Konflikt gesehen", fr: "conflit vu", es: "conflicto visto"),
  ]
}
