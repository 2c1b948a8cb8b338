#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The bytes of a file at one address as long as the object lives, for libraries that keep a pointer between two calls.
///
/// `Data` says where its bytes are for the time of a closure alone. They stay where they are while nobody changes the
/// value, which is constant here, unless they are so few that they are in the value itself: those are copied. Nothing
/// relies on that unseen: every use is inside of a closure, which finds the bytes where the library has them, or ends
/// the process.
///
/// `@unchecked Sendable`: bytes that are copied are written by `init` alone.
final class PinnedBytes: @unchecked Sendable {
  private let data: Data
  /// Of bytes that `data` would move.
  private let copy: UnsafeMutableRawBufferPointer?
  private let address: UInt

  init(_ data: Data) {
    self.data = data
    let first = Self.address(of: data)
    guard data.count < 64 || first != Self.address(of: self.data) else {
      copy = nil
      address = first
      return
    }
    let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, data.count), alignment: 16)
    data.withUnsafeBytes { copy.copyMemory(from: $0) }
    self.copy = copy
    address = UInt(bitPattern: copy.baseAddress)
  }

  deinit { copy?.deallocate() }

  var count: Int { data.count }

  /// Calls a closure with the bytes, which are where they were at every call before.
  func withBytes<Success, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Success
  ) throws(Failure) -> Success {
    if let copy { return try body(UnsafeRawBufferPointer(rebasing: copy[..<data.count])) }
    return try data.withBytes { (bytes) throws(Failure) in
      precondition(UInt(bitPattern: bytes.baseAddress) == address, "the bytes of a file have moved")
      return try body(bytes)
    }
  }

  private static func address(of data: Data) -> UInt {
    data.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
  }
}
