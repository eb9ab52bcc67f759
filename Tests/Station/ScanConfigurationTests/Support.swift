import Bookings
import EventSchedule
import Expectations
import Foundation
import SignedTickets
import Subscriptions
import Testing
import TicketSystemKit

@testable import ScanConfiguration

/// The folder of the package.
let packageFolder = repositoryFile("")

/// The errors of `text`, each without the file's name; empty for a good file.
func errors(in text: String, options: ConfigurationOptions = testOptions) -> [String] {
  errors(in: [UInt8](text.utf8), options: options)
}

/// The errors of `bytes`, each without the file's name; empty for a good file.
func errors(in bytes: [UInt8], options: ConfigurationOptions = testOptions) -> [String] {
  do throws(ConfigurationErrors) {
    _ = try ConfigurationFile.parse(bytes: bytes, file: "f", options: options)
    return []
  } catch {
    return error.errors.map { String($0.description.dropFirst(2)) }
  }
}

/// Options with a validator that only looks for one unknown layout and locale.
let testOptions = ConfigurationOptions(
  ticketSystems: [.eventSchedule],
  keymapValidator: { layout, variant, _, compose in
    if [layout, variant].contains("nosuch") { return "write a layout of xkb-data" }
    return compose == "xx_XX.UTF-8" ? "write a locale of this machine" : nil
  })

/// The same with every ticket system that an example names.
let exampleOptions = ConfigurationOptions(
  ticketSystems: [.bookings, .eventSchedule, .signedTickets, .subscriptions],
  keymapValidator: testOptions.keymapValidator)

/// A small file that is good.
let goodFile = """
  version: 1
  station: { name: door }
  ticketSystems:
    main: { type: eventschedule, url: "https://tickets.example.org", apiKeyFile: /etc/scangate/keys/main.key }
  readers:
    scanner: { type: wedge, match: { vendor: "0c2e" } }
  gates:
    north:
      readers: [scanner]
      ticketSystem: main
      outputs: { green: { led: "gate:green:pass" } }

  """

/// A file with buzzers of every sort and with inputs, that is good.
let wiredFile =
  goodFile.replacingOccurrences(
    of: "      outputs: { green: { led: \"gate:green:pass\" } }\n",
    with: """
          outputs:
            relay: { gpio: { chip: gate, line: 0 }, fail: safe }
            buzzer: { pwm: { chip: fe20c000.pwm, channel: 1, frequency: 2.7 kHz } }
            buzzer2: { sound: { name: PC Speaker, frequency: 1000 Hz } }
            green: { led: "gate:green:pass" }
          inputs:
            lockout: { gpio: { chip: gate, line: 4, activeLow: true, bias: pull-up }, use: maintenanceButton }
            key: { gpio: { chip: gate, line: 5 }, debounce: 50 ms, use: maintenanceSwitch }
            door: { gpio: { chip: gate, line: DOOR }, debounce: 0 ms }

      """)
