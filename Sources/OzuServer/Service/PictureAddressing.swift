public import Foundation
public import Ozu

/// Reads from a request which picture is wanted: the grammar of a service's addresses.
public protocol PictureAddressing: Sendable {
  /// The picture that a request names.
  ///
  /// - Parameter date: the present, for addresses that expire.
  /// - Throws: `AddressRefusal`.
  func picture(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedPicture
}

/// A picture that was asked for.
public struct AddressedPicture: Sendable {
  /// Its source and what is made of it.
  public var request: ImageRequest
  /// How it is written.
  public var output: OutputFormat
  /// The header fields of the request that had a say, such as `Accept`: what is answered in `Vary`. None by default.
  public var decidingFields: [String] = []
  /// The name under which it is saved; `nil` (the default) for the client's choice.
  public var fileName: String?
  /// Whether it is to be saved rather than shown. Off by default.
  public var isAttachment = false

  /// Until when every request with the same target, and the same values of `decidingFields`, names this picture. The service
  /// then need not read the address again. `nil` (the default) where that is not certain.
  public var reusableUntil: Date?

  /// Makes a picture that is asked for.
  public init(request: ImageRequest, output: OutputFormat) {
    self.request = request
    self.output = output
  }
}

/// Why a request names no picture that may be had.
public struct AddressRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The status of the answer, 400 to 499.
  public let status: Int
  /// What is wrong, for the one who made the address.
  public let reason: String

  /// Makes a refusal.
  public init(status: Int, reason: String) {
    self.status = status
    self.reason = reason
  }

  /// The status and the reason.
  public var description: String { "\(status) \(reason)" }
}
