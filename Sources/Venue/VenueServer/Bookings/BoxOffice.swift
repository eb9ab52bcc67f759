import HTTPTypes
import SQLiteFile

/// What anybody may see: shows, seats, seat maps.
extension BookingDesk {
  var book: TheatreBook { TheatreBook(db: db, now: now) }

  /// `GET /api/shows`
  func shows() throws -> Answer {
    var answer = Answer.ok(.array(try book.shows().map { .object(try text($0)) }))
    if shape == .real { answer.headers[.cacheControl] = "public, max-age=60" }
    return answer
  }

  /// `GET /api/shows/ID`, which the real server has not.
  func show(_ id: String) throws -> Answer {
    guard let show = try book.show(id) else { return shape.refusal(.notFound, "Show not found") }
    return .ok(.object(try text(show)))
  }

  private func text(_ show: TheatreBook.Show) throws -> [(key: String, value: JSONText)] {
    let pricing = try book.pricing(of: show)
    var members: [(key: String, value: JSONText)] = [
      ("id", .string(show.id)), ("title", .string(show.title)), ("description", .string(show.description)),
      ("date", .string(show.date)), ("time", .string(shape == .real ? show.time : show.longTime)),
      ("imageUrl", .string("https://lastminutelive.com/images/\(show.id.prefix(8)).jpg")),
      ("venue_name", .string(show.venueName)), ("location", .string(show.venueAddress)),
      ("seatMapId", .optional(show.seatMapID)),
    ]
    guard shape == .real else {
      let prices = pricing.map(\.pence)
      members += [
        ("min_price", .pounds(prices.min() ?? 0)), ("max_price", .pounds(prices.max() ?? 0)),
        (
          "seat_pricing",
          .array(pricing.map { ["section": .string($0.name), "price": .pounds($0.pence)] })
        ),
      ]
      return members
    }
    // Pence are lost on the way, and what costs nothing is no price.
    let prices = pricing.map { $0.roundedPounds }.filter { $0 > 0 }
    members += [
      ("address", .string(show.venueAddress)), ("seatMapType", "standard"),
      ("seat_pricing", .array(pricing.map { $0.text })), ("min_price", .integer(prices.min() ?? 0)),
      ("max_price", .integer(prices.max() ?? 0)),
      ("total_available_seats", .integer(pricing.reduce(0) { $0 + $1.free })),
    ]
    return members
  }

  /// `GET /api/shows/ID/seats`. Of a show that is not there the real server tells that it has none.
  func seats(_ id: String) throws -> Answer {
    let show = try book.show(id)
    if show == nil, shape == .document { return shape.refusal(.notFound, "Show not found") }
    return .ok(.array(try book.seats(ofShow: id).map { text($0, show) }))
  }

  private func text(_ seat: TheatreBook.Seat, _ show: TheatreBook.Show?) -> JSONText {
    guard shape == .real else {
      return [
        "id": .string(seat.id), "row": .string(seat.row), "number": .string("\(seat.number)"),
        "section": .string(seat.section), "price": .pounds(seat.pence),
        "status": .string(seat.status == "booked" ? "sold" : seat.status), "seatMapId": .optional(show?.seatMapID),
      ]
    }
    return [
      "id": .string(seat.id), "row_letter": .string(seat.row), "seat_number": .integer(seat.number),
      "price_pence": .integer(seat.pence), "status": .string(seat.status),
      "position": ["x": .integer(seat.number * 24), "y": .integer(seat.y)], "is_accessible": .bool(seat.isAccessible),
      "notes": nil, "section_id": .string(seat.sectionID), "section_name": .string(seat.section),
      "display_name": .string(seat.section), "color_hex": .string(seat.color),
    ]
  }

  /// `GET /api/shows/ID/seatmap`
  func seatMap(_ id: String) throws -> Answer {
    guard let show = try book.show(id), let mapID = show.seatMapID,
      let map = try db.row("SELECT * FROM theatre_seat_maps WHERE id = ?", mapID)
    else { return shape.refusal(.notFound, "Show or seatmap not found") }
    let sections = try db.rows("SELECT * FROM theatre_sections WHERE seat_map_id = ? ORDER BY sort_order", mapID)
    let capacity = try sections.reduce(Int64(0)) { try $0 + $1["row_count"] * $1["row_length"] }
    let layout: JSONText = [
      "sections": .array(
        try sections.map { section in
          [
            "name": .string(try section["name"]), "color": .string(try section["color"]),
            "firstRow": .string(try section["first_row"]), "rows": .integer(try section["row_count"]),
            "seatsPerRow": .integer(try section["row_length"]),
          ]
        })
    ]
    var members: [(key: String, value: JSONText)] = [
      ("id", .string(mapID)), ("name", .string(try map["name"])), ("totalCapacity", .integer(capacity)),
      ("svgViewbox", .string(try map["viewbox"])), ("layoutConfig", layout),
    ]
    guard shape == .real else { return .ok(.object(members)) }
    members.append(("generatedSVG", nil))
    return .ok(["success": true, "seatMap": .object(members)])
  }
}

extension TheatreBook.Pricing {
  /// As JavaScript rounds: halves up, to the right.
  fileprivate var roundedPounds: Int64 { (pence + 50 - ((pence + 50) % 100 + 100) % 100) / 100 }

  fileprivate var text: JSONText {
    [
      "section_id": .string(sectionID), "section_name": .string(name), "color_code": .string(color),
      "price": .integer(roundedPounds), "available_seats": .integer(free), "total_seats": .integer(all),
      "is_accessible": .bool(isAccessible),
    ]
  }
}

extension TheatreBook.Seat {
  /// Rows behind each other, from the stage.
  fileprivate var y: Int64 { Int64(row.unicodeScalars.first.map { $0.value } ?? 65) * 30 - 65 * 30 + 60 }
}

extension JSONText {
  /// Pounds of an amount in pence: 45 or 45.5.
  static func pounds(_ pence: Int64) -> JSONText { .decimal(Double(pence) / 100) }
}
