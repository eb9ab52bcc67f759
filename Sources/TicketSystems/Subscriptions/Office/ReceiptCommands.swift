internal import ArgumentParser
internal import ScanModel
internal import TicketSystemKit
internal import TicketTransport
internal import WireText

/// `scangate membership verify`
struct VerifyReceiptCommand: OfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Have the store look at a receipt, and print what it says.",
    discussion: """
      The service writes down what the store says. With --json its answer is printed as it came, but for the receipt in it; --body \
      writes it to a file, wholly.
      """)

  @OptionGroup var receipt: ReceiptArgument
  @Option(
    help: ArgumentHelp("A new file for the store's answer, readable by you alone.", valueName: "file"),
    completion: .file())
  var body: String?
  @OptionGroup var office: OfficeArguments

  func run(at office: Office) async throws {
    let receipt = try receipt.read(office)
    let answer = try await office.change(
      .post, "/apple/verify-receipt", "/apple/verify-receipt", .object(["receiptData": .string(receipt)]),
      hiding: [receipt], look: "show ID, and look when it was changed")
    guard case .object = answer else {
      throw DeskFault.unavailable(
        "\(office.calls.host) answered POST /apple/verify-receipt with something that the store does not say.")
    }
    if let body { try office.write(String(decoding: answer.written, as: UTF8.self), to: body) }
    if office.isJSON { return office.out(answer) }
    let secrets = office.calls.secrets
    let renewals = answer["pending_renewal_info"]?.elements ?? []
    for line in DeskTable.lines([
      ("From", answer["environment"]?.told(hiding: secrets) ?? "-"),
      ("Status", answer["status"]?.told(hiding: secrets) ?? "-"),
      ("App", answer["receipt"]?["bundle_id"]?.told(hiding: secrets) ?? "-"),
      ("Renews", renewals.contains { $0["auto_renew_status"]?.integer == 1 } ? "yes" : "no"),
    ]) { office.out(line) }
    var table = DeskTable(heads: ["ID", "PAID", "ENDS", "GIVEN BACK", "PRODUCT"])
    let payments = answer["latest_receipt_info"]?.elements ?? []
    let rows = payments.prefix(1_000).map { payment in
      [
        payment["original_transaction_id"]?.told(hiding: secrets) ?? "-", Self.time(payment["purchase_date_ms"]),
        Self.time(payment["expires_date_ms"]), Self.time(payment["cancellation_date_ms"]),
        payment["product_id"]?.told(hiding: secrets) ?? "-",
      ]
    }
    for line in table.lines(rows) { office.out(line) }
  }

  /// The store tells milliseconds, as texts.
  private static func time(_ value: JSONValue?) -> String {
    guard let milliseconds = value?.integer, (0..<253_402_300_800_000).contains(milliseconds) else { return "-" }
    return WallTime(seconds: milliseconds / 1_000).iso8601Seconds
  }
}

/// `scangate membership add`
struct AddReceiptCommand: OfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Bring a subscription into the service by its receipt, and print it.")

  @OptionGroup var receipt: ReceiptArgument
  @OptionGroup var office: OfficeArguments

  func run(at office: Office) async throws {
    let receipt = try receipt.read(office)
    let answer = try await office.change(
      .post, "/apple/subs", "/apple/subs", .object(["receiptData": .string(receipt)]), hiding: [receipt],
      look: "list")
    guard let subscription = OfficeSubscription(answer, hiding: office.calls.secrets) else {
      throw DeskFault.unclear(
        "\(office.calls.host) answered POST /apple/subs with something that is no subscription. It may have taken it: "
          + "scangate membership list")
    }
    office.print(answer, subscription.fields)
  }
}

/// `scangate membership receipt`
struct ReceiptCommand: OfficeCommand {
  static let configuration = CommandConfiguration(
    commandName: "receipt", abstract: "Print a subscription, and write its receipt to a new file.",
    discussion: "Whoever has the receipt can link the subscription. It is never printed.")

  @Argument(help: ArgumentHelp("The subscription.", valueName: "id")) var id: String
  @Option(
    help: ArgumentHelp("The new file, readable by you alone.", valueName: "file"), completion: .file())
  var file: String?
  @OptionGroup var office: OfficeArguments

  func run(at office: Office) async throws {
    let id = try office.id(id)
    let answer = try await office.read("/apple/receipt/\(id.text)", "/apple/receipt/ID", hiding: [id.text])
    let subscription = try office.subscription(answer, id, "GET /apple/receipt/ID")
    guard let receipt = answer["receipt"]?.string, !receipt.isEmpty else {
      throw DeskFault.unavailable("\(office.calls.host) told no receipt of \(id).")
    }
    if let file { try office.write(receipt, to: file) }
    office.print(answer, subscription.fields)
    office.tell(
      file.map { "The receipt is in \($0): keep it to yourself." }
        ?? "There is a receipt of \(receipt.utf8.count) bytes; --file writes it.")
  }
}
