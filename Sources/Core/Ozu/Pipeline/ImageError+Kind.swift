extension ImageError {
  /// The cause of an error, by name. A later version may add kinds, so a `switch` needs a `default`.
  public struct Kind: Hashable, Sendable {
    /// The name, for logs and counters. It stays the same in later versions.
    public let name: String

    init(_ name: String) { self.name = name }

    /// Whether an error is an `ImageError` of this kind: `catch ImageError.Kind.notCached`.
    public static func ~= (kind: Kind, error: any Error) -> Bool { (error as? ImageError)?.kind == kind }
  }
}

extension ImageError.Kind: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}

extension ImageError.Kind {
  // Sources.

  /// The address cannot be used: it is malformed, has no host, or its scheme is unknown.
  public static let invalidSource = Self("invalidSource")
  /// A side of the requested size is below 1 or too large: see `size`.
  public static let invalidSize = Self("invalidSize")
  /// There is no file of this name.
  public static let noSuchFile = Self("noSuchFile")
  /// The path is a folder.
  public static let isDirectory = Self("isDirectory")
  /// The file exists but cannot be read: see `systemErrorCode`.
  public static let unreadableFile = Self("unreadableFile")

  // Network.

  /// The server answered with a status other than 200 to 299: see `statusCode`.
  public static let httpStatus = Self("httpStatus")
  /// The host has no address.
  public static let nameNotResolved = Self("nameNotResolved")
  /// The host refused the connection.
  public static let connectionRefused = Self("connectionRefused")
  /// A time limit of the transport was reached.
  public static let timedOut = Self("timedOut")
  /// The body ended before the announced length.
  public static let bodyTruncated = Self("bodyTruncated")
  /// The file or body is larger than allowed: see `byteLimit`.
  public static let bodyTooLarge = Self("bodyTooLarge")
  /// The transport failed in another way.
  public static let transport = Self("transport")
  /// A fetcher of the app or `decoding.dataTransformation` threw an error: see `underlying`.
  public static let fetchFailed = Self("fetchFailed")

  // Files.

  /// The source has no bytes.
  public static let emptyData = Self("emptyData")
  /// The bytes are not an image.
  public static let notAnImage = Self("notAnImage")
  /// No decoder of the pipeline reads this format: see `imageType`.
  public static let unsupportedType = Self("unsupportedType")
  /// The file breaks the rules of its format: see `imageType`.
  public static let corruptData = Self("corruptData")
  /// The file ends before its picture does: see `imageType`.
  public static let truncatedData = Self("truncatedData")
  /// The requested part lies outside the picture: see `region` and `size`.
  public static let regionOutside = Self("regionOutside")
  /// The picture would cost more than is allowed: see `violation`.
  public static let limitExceeded = Self("limitExceeded")
  /// A decoder in a process of its own crashed, was stopped or could not be started: see `imageType` and `decoderFailure`.
  public static let decoderFailed = Self("decoderFailed")

  // Results.

  /// A processor failed: see `underlying`.
  public static let processingFailed = Self("processingFailed")
  /// The picture could not be written as a file: see `underlying`.
  public static let encodingFailed = Self("encodingFailed")
  /// The request asks only the caches, and none of them has the picture.
  public static let notCached = Self("notCached")
  /// The request was cancelled. `ImageError` explains why this is not a `CancellationError`.
  public static let cancelled = Self("cancelled")
  /// The load took longer than it may: see `stage`.
  public static let deadlineExceeded = Self("deadlineExceeded")

  /// Every kind, for tests that hold for each.
  package static let all: [ImageError.Kind] = [
    invalidSource, invalidSize, noSuchFile, isDirectory, unreadableFile, httpStatus, nameNotResolved,
    connectionRefused,
    timedOut, bodyTruncated, bodyTooLarge, transport, fetchFailed, emptyData, notAnImage, unsupportedType,
    corruptData,
    truncatedData, regionOutside, limitExceeded, decoderFailed, processingFailed, encodingFailed, notCached,
    cancelled,
    deadlineExceeded,
  ]
}

// A kind for each function that makes an error of it, so that `catch ImageError.timedOut` is a pattern: without these, the name alone is
// the function, and the message of the compiler helps nobody.
extension ImageError {
  /// See `Kind.invalidSource`.
  public static var invalidSource: Kind { .invalidSource }
  /// See `Kind.invalidSize`.
  public static var invalidSize: Kind { .invalidSize }
  /// See `Kind.noSuchFile`.
  public static var noSuchFile: Kind { .noSuchFile }
  /// See `Kind.isDirectory`.
  public static var isDirectory: Kind { .isDirectory }
  /// See `Kind.unreadableFile`.
  public static var unreadableFile: Kind { .unreadableFile }
  /// See `Kind.httpStatus`.
  public static var httpStatus: Kind { .httpStatus }
  /// See `Kind.nameNotResolved`.
  public static var nameNotResolved: Kind { .nameNotResolved }
  /// See `Kind.connectionRefused`.
  public static var connectionRefused: Kind { .connectionRefused }
  /// See `Kind.timedOut`.
  public static var timedOut: Kind { .timedOut }
  /// See `Kind.bodyTruncated`.
  public static var bodyTruncated: Kind { .bodyTruncated }
  /// See `Kind.bodyTooLarge`.
  public static var bodyTooLarge: Kind { .bodyTooLarge }
  /// See `Kind.transport`.
  public static var transport: Kind { .transport }
  /// See `Kind.fetchFailed`.
  public static var fetchFailed: Kind { .fetchFailed }
  /// See `Kind.emptyData`.
  public static var emptyData: Kind { .emptyData }
  /// See `Kind.notAnImage`.
  public static var notAnImage: Kind { .notAnImage }
  /// See `Kind.unsupportedType`.
  public static var unsupportedType: Kind { .unsupportedType }
  /// See `Kind.corruptData`.
  public static var corruptData: Kind { .corruptData }
  /// See `Kind.truncatedData`.
  public static var truncatedData: Kind { .truncatedData }
  /// See `Kind.regionOutside`.
  public static var regionOutside: Kind { .regionOutside }
  /// See `Kind.limitExceeded`.
  public static var limitExceeded: Kind { .limitExceeded }
  /// See `Kind.decoderFailed`.
  public static var decoderFailed: Kind { .decoderFailed }
  /// See `Kind.processingFailed`.
  public static var processingFailed: Kind { .processingFailed }
  /// See `Kind.encodingFailed`.
  public static var encodingFailed: Kind { .encodingFailed }
  /// See `Kind.notCached`.
  public static var notCached: Kind { .notCached }
  /// See `Kind.cancelled`.
  public static var cancelled: Kind { .cancelled }
  /// See `Kind.deadlineExceeded`.
  public static var deadlineExceeded: Kind { .deadlineExceeded }
}
