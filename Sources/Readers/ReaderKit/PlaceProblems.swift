package import ScanModel

/// What is said of places that are wrong: what an empty match would take every one of, what two readers with one place would both
/// take, what to give in a match, what tells two devices apart, and a path that is right.
package typealias PlaceWords = (every: String, same: String, fields: String, distinction: String, path: String)

extension ReaderConfiguration {
  /// What is wrong with the names and places of readers and with what is peculiar to each, reader by reader.
  package static func problems(
    in configurations: [Self], _ words: PlaceWords, _ peculiar: (Self) -> [DeviceError]
  ) -> [DeviceError] {
    configurations.enumerated().flatMap { index, configuration in
      configuration.problems(beside: configurations[..<index], words) + peculiar(configuration)
    }
  }

  /// Says what is wrong with a reader.
  package func problem(_ what: String, _ remedy: String) -> DeviceError {
    DeviceError(device: "reader \(id)", what: what, remedy: remedy)
  }

  private func problems(beside others: ArraySlice<Self>, _ words: PlaceWords) -> [DeviceError] {
    var problems: [DeviceError] = []
    var isEmpty = false
    switch place {
    case .match(let match) where match.isEmpty:
      isEmpty = true
      problems.append(
        problem("its match is empty and would take every \(words.every)", "Give \(words.fields)."))
    case .path(let path) where !path.hasPrefix("/"):
      problems.append(problem("“\(path)” is no absolute path", "Write it from / on, such as \(words.path)."))
    case .match, .path: break
    }
    for other in others {
      if other.id == id { problems.append(problem("two readers have this name", "Give each its own name.")) }
      if !isEmpty, other.place == place {
        problems.append(
          problem(
            "it matches the same \(words.same) as reader \(other.id)", "Tell them apart by \(words.distinction)."))
      }
    }
    return problems
  }
}
