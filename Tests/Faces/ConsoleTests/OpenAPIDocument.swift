import Expectations
import Foundation
import Testing
import WireText

/// `docs/openapi.json`, and as much of JSON Schema as it uses.
struct OpenAPIDocument {
  private let root: JSONValue

  init() throws { root = try JSONValue([UInt8](try Data(contentsOf: repositoryFile("docs/openapi.json")))) }

  subscript(name: String) -> JSONValue? { root[name] }

  /// A value, or the one that it refers to.
  func resolved(_ value: JSONValue) -> JSONValue {
    guard let reference = value["$ref"]?.string else { return value }
    let found = reference.split(separator: "/").dropFirst().reduce(root as JSONValue?) { $0?[String($1)] }
    return found.map(resolved) ?? .null
  }

  /// What of a value is not as a schema says; a member that the schema does not name is a fault, for we write both.
  func faults(of value: JSONValue, _ schema: JSONValue, at place: String = "") -> [String] {
    let schema = resolved(schema)
    for name in ["anyOf", "oneOf"] {
      guard let choices = schema[name]?.array else { continue }
      let fitting = choices.count { self.faults(of: value, $0, at: place).isEmpty }
      return fitting == 0 || name == "oneOf" && fitting != 1 ? ["\(place): fits \(fitting) of \(name)"] : []
    }
    let types = schema["type"]?.string.map { [$0] } ?? schema["type"]?.array?.compactMap(\.string)
    if let types, !types.contains(where: { Self.isA($0, value) }) {
      return ["\(place): \(value) is no \(types.joined(separator: " or "))"]
    }
    var faults: [String] = []
    if let constant = schema["const"], value != constant { faults.append("\(place): not \(constant)") }
    if let cases = schema["enum"]?.array, !cases.contains(value) { faults.append("\(place): \(value) is none of them") }
    if let pattern = schema["pattern"]?.string, let text = value.string, let regex = try? Regex(pattern),
      text.firstMatch(of: regex) == nil
    {
      faults.append("\(place): \(text) does not match \(pattern)")
    }
    if let items = schema["items"], let array = value.array {
      for (index, element) in array.enumerated() { faults += self.faults(of: element, items, at: "\(place)[\(index)]") }
    }
    guard let object = value.members, let properties = schema["properties"]?.members else { return faults }
    for name in schema["required"]?.array?.compactMap(\.string) ?? [] where object[name] == nil {
      faults.append("\(place): \(name) is missing")
    }
    for (name, member) in object {
      if let property = properties[name] {
        faults += self.faults(of: member, property, at: "\(place).\(name)")
      } else {
        faults.append("\(place): \(name) is not told")
      }
    }
    return faults
  }

  private static func isA(_ type: String, _ value: JSONValue) -> Bool {
    switch (type, value) {
    case ("null", .null), ("boolean", .bool), ("string", .string), ("array", .array), ("object", .object): true
    case ("integer", .number): value.integer != nil
    default: false
    }
  }
}

extension JSONValue {
  /// The members of an object.
  var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}
