public import Ozu
import OzuBase
public import OzuImaging

/// Reads from a request which picture is requested: the grammar of a service's addresses.
public protocol PictureAddressing: Sendable {
  /// The picture that a request names.
  ///
  /// - Parameter date: the current date, for addresses that expire.
  /// - Throws: `AddressRefusal`.
  func picture(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedPicture

  /// The facts that a request asks for; `nil`, the default, for a request for a picture.
  ///
  /// - Parameter date: the current date, for addresses that expire.
  /// - Throws: `AddressRefusal`.
  func information(for request: ServiceRequest, at date: Date) throws(AddressRefusal) -> AddressedInformation?
}

extension PictureAddressing {
  /// None.
  public func information(
    for request: ServiceRequest, at date: Date
  ) throws(AddressRefusal) -> AddressedInformation? { nil }
}

/// A requested picture.
public struct AddressedPicture: Sendable {
  /// The source and the recipe.
  public var request: ImageRequest
  /// The output format.
  public var output: OutputFormat
  /// The header fields of the request that influenced this value, such as `Accept`. The answer lists them in
  /// `Vary`. Default: none.
  public var varyingFields: [String] = []
  /// The file name for saving. Its extension becomes that of the result's format. `nil`, the default, lets the client
  /// choose; an attachment then has the name of the source.
  public var fileName: String?
  /// Whether browsers should save the picture instead of showing it. Default: false.
  public var isAttachment = false
  /// Whether the answer is the source as it is: any file, with all its metadata, which nobody decodes. Default: false.
  public var isOriginal = false
  /// The formats of sources that are answered as they are. Their beginnings are read to know them. Default: none.
  public var originalTypes: Set<ImageType> = []
  /// What the address demands of its source. Default: nothing.
  public var limits = SourceLimits()

  /// The date until which every request with the same target, and the same values of `varyingFields`, names this
  /// picture. Until then the service need not read the address again. `nil`, the default, if there is no such date.
  public var reusableUntil: Date?

  /// The date at which the address expires. No cache may keep the answer longer. `nil`, the default, if it does not.
  public var expiry: Date?

  /// Makes a requested picture.
  public init(request: ImageRequest, output: OutputFormat) {
    self.request = request
    self.output = output
  }
}

/// The reason why a request names no picture, or none that may be served.
public struct AddressRefusal: Error, Hashable, Sendable, CustomStringConvertible {
  /// The status of the answer, from 400 to 499.
  public let status: Int
  /// The reason, for the author of the address.
  public let reason: String

  /// Makes a refusal.
  public init(status: Int, reason: String) {
    self.status = status
    self.reason = reason
  }

  /// The status and the reason.
  public var description: String { "\(status) \(reason)" }
}
