import Expectations
import ScanModel
import Testing

@testable import TicketLists

/// Header words that limit who may come in, in each language alike, and what spreadsheets do to files.
@Suite struct LimitingHeaderTests {
  private static let table: [(meaning: String, names: [String])] = [
    (
      "day",
      [
        "Weekday", "Wochentag", "Jour de la semaine", "Día de la semana", "Saturday", "Samstag", "Samedi", "Sábado",
        "Sunday only", "Nur Samstag", "Samedi seulement", "Solo sábado", "Sat/Sun", "Sa/So", "Sam & Dim", "Sáb/Dom",
        "Weekend", "Wochenende", "Week-end", "Fin de semana", "Valid days", "Gültig für Tag", "Jours valables",
        "Días válidos", "Session", "Sitzung", "Séance", "Sesión", "Show", "Vorstellung", "Représentation", "Funciones",
        "Time", "Uhrzeit", "Horaire", "Horario", "Time slot", "Zeitfenster", "Créneau", "Franja", "Evening", "Abend",
        "Soirée", "Noche",
      ]
    ),
    (
      "until",
      [
        "Validity", "Gültigkeit", "Validité", "Validez", "Vigencia", "Valid for", "Gültig für", "Valable pour",
        "Válido para", "Last entry", "last_admission", "Latest entry", "Use by", "Best before", "Arrive by",
        "Gates close", "Nicht nach", "Letzter Einlass", "Pas après", "Dernière entrée", "Fermeture", "No después de",
        "Última entrada", "Cierre",
      ]
    ),
    (
      "from",
      [
        "First entry", "entry_from", "Admission from", "access_from", "Doors open", "Opens", "Begins", "Nicht vor",
        "Öffnung", "Pas avant", "Première entrée", "Ouverture", "No antes de", "Primera entrada", "Apertura",
      ]
    ),
    (
      "quantity",
      [
        "No. of persons", "Anz. Pers.", "Nbre de pers.", "Núm. de pers.", "Number of tickets", "Anzahl Karten",
        "Nombre de billets", "Número de boletos", "# Tickets", "Kartenzahl", "Nb billets", "Cant. entradas", "Guests",
        "Gäste", "Invités", "Invitados", "Pax", "Group size", "Gruppengröße", "Taille du groupe", "Tamaño del grupo",
      ]
    ),
    ("status", ["Refunded?", "Storniert", "Annulé", "Anulado", "Scanned at", "Eingelöst am", "Scanné", "Canjeado"]),
    (
      "ignored",
      [
        "Members only", "Nur für Mitglieder", "Adultes uniquement", "Solamente adultos", "Exclusively online",
        "Ausschließlich online", "Exclusivement en ligne", "Exclusivamente en línea",
      ]
    ),
  ]

  private func load(_ text: String) throws -> TicketImport.Report { try ListFolder().load(text) }

  private func refusal(_ text: String) -> String {
    do {
      _ = try load(text)
      return ""
    } catch { return "\(error)" }
  }

  @Test func whatLimitsIsRefusedInEachLanguage() throws {
    for row in Self.table {
      for name in row.names {
        let words = refusal("code,\(name)\nSECRETa,1\n")
        expect(words.contains("seems to limit who may come in"), "\(name): \(words)")
        expect(words.contains("--column \(row.meaning)="), "\(name): \(words)")
      }
    }
    // A day is not proposed for a state, and what can be several is proposed as several.
    expect(!refusal("code,Valid days\na,1\n").contains("--column status="))
    let words = refusal("code,Gültigkeit\na,1\n")
    expect(words.contains("--column day=Gültigkeit") && words.contains(" or --column status=Gültigkeit"), "\(words)")
  }

  /// Which of them counts is nothing that a list says: the day of a show, and how long a voucher for it is good, are both common.
  @Test func aDayAndATimeThatAreFarApartAreAsked() throws {
    let head = "code,event_date,valid_from,valid_until\n"
    for line in ["a,2026-11-21,,2027-11-21", "a,2026-11-21,2026-11-01,", "a,2026-11-21,,2026-11-18"] {
      let words = try load(head + line + "\nb,,,\n").badLines.map(\.words)
      expectEqual(words.count, 1)
      expect(words.allSatisfy { $0.contains("more than a day apart") && $0.contains("--column ignored=") }, "\(words)")
    }
    // A night that ends on the day after, and doors that open before midnight.
    for line in ["a,2026-11-21,2026-11-21 23:00,2026-11-22 05:00", "a,2026-11-21,2026-11-20 22:00,2026-11-21"] {
      expectEqual(try load(head + line + "\n").badLines, [])
    }
  }

  @Test func whatLimitsNobodyIsLeftAlone() throws {
    for name in [
      "Ticket number", "Kartennummer", "Numéro de billet", "Número de boleto", "Telefon", "Timestamp", "Zahlungsart",
      "Payment method", "Sonderwünsche", "Comentario", "Montant", "Ticket colour", "Code postal", "Monat",
    ] { try expectEqual(load("code,\(name)\na,1\n").ignored, [name]) }
  }

  @Test func eachColumnThatIsNotUnderstoodHasItsLine() {
    let words = refusal("code,Einlasszeit,Anz. Pers.\na,1,1\n")
    let lines = words.split(separator: "\n")
    expect(lines.count == 2, "\(words)")
    expect(lines.first?.contains("line 1: the column Einlasszeit") == true, "\(words)")
    expect(lines.last?.contains("line 1: the column Anz. Pers.") == true, "\(words)")
  }

  @Test func aCodeThatASpreadsheetHasRoundedIsBad() throws {
    let text = "code;status\n1,23457E+11;paid\n1.23457E+11;paid\n4e+12;paid\n1E11;paid\nE+11;paid\n123456789012;paid\n"
    let report = try load(text)
    expectEqual(report.badLines.map(\.line), [2, 3, 4])
    for line in report.badLines {
      expect(line.words.contains("a spreadsheet has rounded it") && line.words.contains("as text"), "\(line.words)")
    }
  }

  @Test(arguments: ["sep=;\n", "sep=;\r\n", "SEP=;\r", "\u{FEFF}sep=;\r\n", "\"sep=;\"\n"])
  func theSeparatorThatAFirstLineNamesIsTaken(mark: String) throws {
    let folder = try ListFolder()
    // The header alone would tell commas.
    let report = try folder.load("\(mark)code;\"a,b,c\";w,x,y,z\nk;1;2\nbad\n")
    expect(report.good == 1 && report.badLines.map(\.line) == [4], "\(report)")
    expect(try folder.find("k") != nil)
  }

  @Test func usualWordsOfStatesAreKnown() {
    for word in ["Gezahlt", "Réglé", "réglée", "Acquitté", "Abonado", "settled"] {
      expectEqual(StatusWords.status(word), .valid, "\(word)")
    }
    for word in ["Storno", "Stornierung", "Annulation", "Cancelación", "cancellation"] {
      expectEqual(StatusWords.status(word), .cancelled, "\(word)")
    }
  }

  @Test func aDayThatIsNoneIsToldWithTheFormsThatAreTaken() throws {
    let report = try load(
      "code,date\na,Samstag\nb,21.11.26\nc,21/11/26\nd,26-11-21\ne,2026-11-21\nf,21.11.2026\ng,2026-11-22\nh,2026-11-22\n"
    )
    let words = report.badLines.map(\.words)
    expectEqual(report.badLines.map(\.line), [2, 3, 4, 5])
    expect(words.first?.contains("write 2026-11-21 or 21.11.2026") == true, "\(words)")
    for words in words.dropFirst() {
      expect(words.contains("a year of two digits") && words.contains("2026"), "\(words)")
    }
  }
}
