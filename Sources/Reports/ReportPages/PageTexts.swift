/// All texts of reports, in all languages. What the journal calls by a name of its own is in `PageNames`.
///
/// A gate is a Durchgang, a passage, an acceso, as on the console's pages.
enum PageTexts {
  // Every page.
  static let page = PageText(
    "Page {0} of {1}", de: "Seite {0} von {1}", fr: "Page {0} sur {1}", es: "Página {0} de {1}")
  static let times = PageText("{0} to {1}", de: "{0} bis {1}", fr: "{0} à {1}", es: "{0} a {1}")
  static let ofGate = PageText("gate {0}", de: "Durchgang {0}", fr: "passage {0}", es: "acceso {0}")
  static let ofEvent = PageText(
    "event {0}", de: "Veranstaltung {0}", fr: "événement {0}", es: "evento {0}")
  static let document = PageText("Report, {0}", de: "Bericht, {0}", fr: "Rapport, {0}", es: "Informe, {0}")
  static let others = PageText("(others)", de: "(übrige)", fr: "(autres)", es: "(otros)")

  // The first page.
  static let report = PageText("Report", de: "Bericht", fr: "Rapport", es: "Informe")
  static let time = PageText("Time", de: "Zeit", fr: "Période", es: "Período")
  static let zone = PageText("Civil time of", de: "Ortszeit von", fr: "Heure de", es: "Hora de")
  static let zoneChanges = PageText(
    "UTC{0}, then UTC{1}", de: "UTC{0}, dann UTC{1}", fr: "UTC{0}, puis UTC{1}", es: "UTC{0}, luego UTC{1}")
  static let gate = PageText("Gate", de: "Durchgang", fr: "Passage", es: "Acceso")
  static let event = PageText("Event", de: "Veranstaltung", fr: "Événement", es: "Evento")
  static let all = PageText("all", de: "alle", fr: "tous", es: "todos")
  static let made = PageText("Made", de: "Erstellt", fr: "Établi", es: "Elaborado")
  static let none = PageText(
    "No scan is of this time.", de: "Aus dieser Zeit gibt es keinen Scan.",
    fr: "Aucun scan pour cette période.", es: "No hay lecturas en este período.")
  static let noneNarrowed = PageText(
    "No scan is of this time, gate and event.",
    de: "Zu dieser Zeit, diesem Durchgang und dieser Veranstaltung gibt es keinen Scan.",
    fr: "Aucun scan pour cette période, ce passage et cet événement.",
    es: "No hay lecturas de este período, acceso y evento.")
  static let scans = PageText("Scans", de: "Scans", fr: "Scans", es: "Lecturas")
  static let scansNote = PageText(
    "codes that were presented", de: "vorgelegte Codes", fr: "codes présentés", es: "códigos presentados")
  static let admitted = PageText("Admitted", de: "Eingelassen", fr: "Admis", es: "Admitidas")
  static let annulled = PageText(
    "of them annulled", de: "davon zurückgenommen", fr: "dont repris", es: "de ellas retiradas")
  static let annulledNote = PageText(
    "taken back: nobody passed", de: "niemand ging durch", fr: "personne n’est passé", es: "no pasó nadie")
  static let refused = PageText("Refused", de: "Abgewiesen", fr: "Refusés", es: "Rechazadas")
  static let undecided = PageText("Undecided", de: "Unentschieden", fr: "Indécis", es: "Sin decidir")
  static let share = PageText("{0} of the scans", de: "{0} der Scans", fr: "{0} des scans", es: "{0} de las lecturas")
  static let provisional = PageText(
    "Provisional admissions", de: "Vorläufige Einlässe", fr: "Admissions provisoires", es: "Admisiones provisionales")
  static let provisionalNote = PageText(
    "without the ticket system’s word", de: "ohne Antwort des Ticketsystems", fr: "sans réponse de la billetterie",
    es: "sin respuesta del sistema")
  static let conflicts = PageText("Conflicts", de: "Konflikte", fr: "Conflits", es: "Conflictos")
  static let conflictsNote = PageText(
    "contradicted, or nobody can tell", de: "abgelehnt oder ungeklärt", fr: "contredites ou non résolues",
    es: "contradichas o sin resolver")
  static let orders = PageText(
    "Orders of staff", de: "Anordnungen des Personals", fr: "Ordres du personnel", es: "Órdenes del personal")
  static let faults = PageText("Faults", de: "Störungen", fr: "Pannes", es: "Averías")
  static let faultsNote = PageText(
    "of gates, outputs and the station", de: "von Durchgängen, Ausgängen, Station",
    fr: "des passages, sorties, station", es: "de accesos, salidas y estación")
  static let counted = PageText(
    "Scans only counted", de: "Nur gezählte Scans", fr: "Scans seulement comptés", es: "Lecturas solo contadas")
  static let countedNote = PageText(
    "faster than anybody presents codes", de: "schneller, als jemand vorlegt", fr: "plus vite qu’on ne présente",
    es: "más rápido de lo posible")
  static let doubtful = PageText(
    "Scans by a doubtful clock", de: "Scans bei unsicherer Uhr", fr: "Scans à l’horloge douteuse",
    es: "Lecturas con reloj dudoso")
  static let doubtfulNote = PageText(
    "their times may be wrong", de: "ihre Zeiten können falsch sein", fr: "leur heure peut être fausse",
    es: "su hora puede ser errónea")
  static let note = PageText(
    "One scan is one presentation of a code at a gate. Codes and holders’ names are in no report; “scangate journal show” finds a "
      + "scan by the digits that lists have.",
    de:
      "Ein Scan ist eine Vorlage eines Codes an einem Durchgang. Codes und Namen stehen in keinem Bericht; „scangate journal show“ "
      + "findet einen Scan an den Ziffern, die die Listen haben.",
    fr:
      "Un scan est une présentation d’un code à un passage. Aucun rapport ne contient de codes ni de noms ; « scangate journal show » "
      + "retrouve un scan par les chiffres des listes.",
    es:
      "Una lectura es una presentación de un código en un acceso. Ningún informe contiene códigos ni nombres; «scangate journal show» "
      + "encuentra una lectura por los dígitos de las listas.")
  static let noteOfEvent = PageText(
    " Orders of staff, scans that were only counted, and starts of the station are of no event and not counted here.",
    de:
      " Anordnungen des Personals, nur gezählte Scans und Starts der Station gehören zu keiner Veranstaltung und zählen hier nicht.",
    fr:
      " Les ordres du personnel, les scans seulement comptés et les démarrages de la station ne sont d’aucun événement et ne comptent pas ici.",
    es:
      " Las órdenes del personal, las lecturas solo contadas y los arranques de la estación no son de ningún evento y no cuentan aquí."
  )

  // Charts.
  static let overTime = PageText(
    "Admissions over time", de: "Einlässe nach Zeit", fr: "Admissions dans le temps", es: "Admisiones en el tiempo")
  static let eachBar = PageText(
    "Each bar is {0}, its parts are gates; annulled admissions are included",
    de: "Jeder Balken ist {0}, seine Teile sind Durchgänge; Zurückgenommene zählen mit",
    fr: "Chaque barre est {0}, ses parties sont les passages ; les admissions reprises comptent",
    es: "Cada barra es {0}, sus partes son los accesos; cuentan también las retiradas")
  static let fiveMinutes = PageText("5 minutes", de: "5 Minuten", fr: "5 minutes", es: "5 minutos")
  static let quarterHour = PageText("15 minutes", de: "15 Minuten", fr: "15 minutes", es: "15 minutos")
  static let hour = PageText("one hour", de: "eine Stunde", fr: "une heure", es: "una hora")
  static let day = PageText("one day", de: "ein Tag", fr: "un jour", es: "un día")
  static let week = PageText("one week", de: "eine Woche", fr: "une semaine", es: "una semana")
  static let month = PageText("one month", de: "ein Monat", fr: "un mois", es: "un mes")
  static let year = PageText("one year", de: "ein Jahr", fr: "une année", es: "un año")
  static let most = PageText(
    "Admissions: {0}. The most, {1}, in the bar that begins {2}.",
    de: "Einlässe: {0}. Die meisten, {1}, im Balken ab {2}.",
    fr: "Admissions : {0}. Le plus, {1}, dans la barre à partir de {2}.",
    es: "Admisiones: {0}. El máximo, {1}, en la barra desde {2}.")
  static let nobody = PageText(
    "Nobody was admitted in this time.", de: "In dieser Zeit wurde niemand eingelassen.",
    fr: "Personne n’a été admis pendant cette période.", es: "No se admitió a nadie en este período.")
  static let byGate = PageText("By gate", de: "Nach Durchgang", fr: "Par passage", es: "Por acceso")
  static let byGateNote = PageText(
    "Scans of each gate", de: "Scans jedes Durchgangs", fr: "Scans de chaque passage", es: "Lecturas de cada acceso")
  static let byEvent = PageText("By event", de: "Nach Veranstaltung", fr: "Par événement", es: "Por evento")
  static let byEventNote = PageText(
    "Scans of each event", de: "Scans jeder Veranstaltung", fr: "Scans de chaque événement",
    es: "Lecturas de cada evento")
  static let byDecider = PageText(
    "By who decided", de: "Nach Entscheider", fr: "Selon qui a décidé", es: "Según quién decidió")
  static let byDeciderNote = PageText(
    "Who had the last word on each scan", de: "Wer bei jedem Scan das letzte Wort hatte",
    fr: "Qui a eu le dernier mot pour chaque scan", es: "Quién tuvo la última palabra en cada lectura")
  static let byReason = PageText("By reason", de: "Nach Grund", fr: "Par motif", es: "Por motivo")
  static let byReasonNote = PageText(
    "Why scans were refused, or not decided", de: "Warum Scans abgewiesen oder nicht entschieden wurden",
    fr: "Pourquoi des scans ont été refusés ou non décidés", es: "Por qué se rechazaron o no se decidieron")
  static let noGate = PageText(
    "(no gate)", de: "(kein Durchgang)", fr: "(aucun passage)", es: "(ningún acceso)")
  static let noEvent = PageText(
    "(no event told)", de: "(keine Veranstaltung genannt)", fr: "(aucun événement indiqué)",
    es: "(ningún evento indicado)")
  static let noDecider = PageText("(nobody)", de: "(niemand)", fr: "(personne)", es: "(nadie)")
  static let noReason = PageText("(no reason)", de: "(kein Grund)", fr: "(aucun motif)", es: "(ningún motivo)")
  static let otherRows = PageText(
    "{0} others, together", de: "{0} übrige, zusammen", fr: "{0} autres, ensemble", es: "{0} otros, en conjunto")
  static let partAdmitted = PageText("admitted", de: "eingelassen", fr: "admis", es: "admitidas")
  static let partRefused = PageText("refused", de: "abgewiesen", fr: "refusés", es: "rechazadas")
  static let partUndecided = PageText("undecided", de: "unentschieden", fr: "indécis", es: "sin decidir")
  static let notJudged = PageText(
    "undecided: the code was not judged", de: "unentschieden: der Code wurde nicht beurteilt",
    fr: "indécis : le code n’a pas été jugé", es: "sin decidir: no se juzgó el código")
  static let numberAdmitted = PageText("{0} admitted", de: "{0} eingelassen", fr: "{0} admis", es: "{0} admitidas")
  static let numberAnnulled = PageText(
    "({0} annulled)", de: "({0} zurückgenommen)", fr: "({0} repris)", es: "({0} retiradas)")
  static let numberRefused = PageText("{0} refused", de: "{0} abgewiesen", fr: "{0} refusés", es: "{0} rechazadas")
  static let numberUndecided = PageText(
    "{0} undecided", de: "{0} unentschieden", fr: "{0} indécis", es: "{0} sin decidir")
  static let reasonRefused = PageText(
    "{0} refused, {1} of these", de: "{0} abgewiesen, {1} davon", fr: "{0} refusés, {1} de ceux-ci",
    es: "{0} rechazadas, {1} de ellas")
  static let reasonUndecided = PageText(
    "{0} undecided, {1} of these", de: "{0} unentschieden, {1} davon", fr: "{0} indécis, {1} de ceux-ci",
    es: "{0} sin decidir, {1} de ellas")

  // Lists.
  static let provisionalHead = PageText(
    "{0} admitted without the ticket system’s word, and what it said later",
    de: "{0} ohne Antwort des Ticketsystems eingelassen, und was es später sagte",
    fr: "{0} admises sans réponse de la billetterie, et ce qu’elle a dit ensuite",
    es: "{0} admitidas sin respuesta del sistema de entradas, y lo que dijo después")
  static let conflictsHead = PageText(
    "{0} that the ticket system contradicts or was not told of, or of which no answer tells",
    de: "{0}, die das Ticketsystem ablehnt oder nicht erfuhr, oder zu denen jede Antwort fehlt",
    fr: "{0} que la billetterie contredit ou ignore, ou restés sans réponse",
    es: "{0} que el sistema de entradas contradice o no conoce, o sin respuesta")
  static let ordersHead = PageText(
    "{0} given, each with who gave it and what became of it", de: "{0} gegeben, je mit wem und was daraus wurde",
    fr: "{0} donnés, chacun avec son auteur et sa suite", es: "{0} dadas, cada una con quién y qué resultó")
  static let faultsHead = PageText(
    "{0}: what kept gates from deciding or opening, counted together by gate and reason",
    de: "{0}: was Durchgänge am Entscheiden oder Öffnen hinderte, gezählt nach Durchgang und Grund",
    fr: "{0} : ce qui a empêché de décider ou d’ouvrir, compté par passage et motif",
    es: "{0}: lo que impidió decidir o abrir, contado por acceso y motivo")
  static let omitted = PageText(
    "{0} more are counted and not listed here; CSV lists more.",
    de: "{0} weitere sind gezählt und hier nicht aufgeführt; CSV führt mehr auf.",
    fr: "{0} de plus sont comptés sans figurer ici ; le CSV en contient davantage.",
    es: "{0} más están contadas y no figuran aquí; el CSV contiene más.")
  static let columnTime = PageText("time", de: "Zeit", fr: "heure", es: "hora")
  static let columnFirst = PageText("time, first", de: "Zeit, erste", fr: "heure, 1re", es: "hora, 1.ª")
  static let columnGate = PageText("gate", de: "Durchgang", fr: "passage", es: "acceso")
  static let columnEvent = PageText("event", de: "Veranstaltung", fr: "événement", es: "evento")
  static let columnDecider = PageText("decided by", de: "entschied", fr: "décidé par", es: "decidió")
  static let columnBecame = PageText("became", de: "wurde", fr: "suite", es: "resultado")
  static let columnState = PageText("state", de: "Stand", fr: "état", es: "estado")
  static let columnReason = PageText("reason", de: "Grund", fr: "motif", es: "motivo")
  static let columnOrder = PageText("order", de: "Anordnung", fr: "ordre", es: "orden")
  static let columnWho = PageText("who", de: "wer", fr: "qui", es: "quién")
  static let columnWhy = PageText("why", de: "warum", fr: "pourquoi", es: "por qué")
  static let columnWhat = PageText("what", de: "was", fr: "quoi", es: "qué")
  static let columnScan = PageText("scan", de: "Scan", fr: "scan", es: "lectura")
  static let columnCount = PageText("count", de: "Zahl", fr: "nombre", es: "número")
}
