/// A thread while it runs. A later thread may have the same identity.
package struct ThreadIdentity: Equatable, Sendable {
  private let value: UInt

  package static var current: ThreadIdentity {
    #if canImport(Glibc)
      ThreadIdentity(value: UInt(pthread_self()))
    #else
      ThreadIdentity(value: UInt(bitPattern: pthread_self()))
    #endif
  }
}
