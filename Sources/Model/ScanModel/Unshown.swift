/// A secret. Printing, reflecting and interpolating it show its `description`, which has no part of it.
package protocol Unshown: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}

extension Unshown {
  package var debugDescription: String { description }
  package var customMirror: Mirror { Mirror(self, children: EmptyCollection<Mirror.Child>()) }
}
