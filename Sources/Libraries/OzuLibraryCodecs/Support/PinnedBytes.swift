import OzuBase

/// The bytes of a file, at one address while the object lives, for libraries that keep a pointer between two calls.
///
/// `Data` gives the address of its bytes only during a closure. The bytes do not move while the value does not
/// change, and it is constant here; but a few bytes may be stored in the value itself, and those are copied. This
/// is checked, not assumed: every use is inside a closure that compares the address with the library's, and ends
/// the process if it differs.
///
/// `@unchecked Sendable`: only `init` writes the bytes that are copied.
final class PinnedBytes: @unchecked Sendable {
  private let data: Data
  /// Used for bytes that `data` would move.
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

  /// Calls a closure with the bytes, which have the same address in every call.
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
