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
