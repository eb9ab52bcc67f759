import NIOSSL

/// By what the console proves who it is: a certificate, and its key.
package struct ConsoleIdentity: Sendable {
}
