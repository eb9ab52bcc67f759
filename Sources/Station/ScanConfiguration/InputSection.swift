import ScanModel
internal import TicketSystemKit

/// `gates.<name>.inputs.<input>`.
enum InputSection {
  private static let gpio = SchemaKey.required(
    "gpio", .section(GPIOSection.inputSchema, example: "{ chip: gate, line: BUTTON0 }", read: GPIOSection.readInput),
    "A line of a GPIO chip.")
  private static let debounce = SchemaKey.key(
    "debounce", .duration(.zero ... .seconds(1), example: "30 ms"), default: .milliseconds(30),
    "How long a level must last before it counts; `0 ms` for a sensor that does not bounce.")
  private static let use = SchemaKey.key(
    "use", .choice(InputUse.self), default: .log,
    "What it does: its changes are events (`log`); each press begins or ends maintenance (`maintenanceButton`); maintenance as long as it is active (`maintenanceSwitch`); somebody sets it off who passes, and whoever was admitted before cannot be annulled any more (`passage`); held for 3 s, it lets the station take set-up codes (`setUpButton`)."
  )

  static let schema = SectionSchema("gates.<name>.inputs.<input>", gpio, debounce, use)

  static func read(_ name: String, _ node: SourceNode, _ findings: Findings) -> InputConfiguration? {
    guard let reader = SectionReader(node, schema, findings) else { return nil }
    guard let (line, debounce, use) = reader.readAll(gpio, debounce, use) else { return nil }
    return InputConfiguration(name: InputName(name), line: line, debounce: debounce, use: use)
  }
}
