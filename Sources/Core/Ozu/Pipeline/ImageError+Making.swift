import OzuHTTP

// For the pipeline, and for fetchers, interceptors and tests of the app.
extension ImageError {
  /// An address that cannot be used; `reason` is the text for people.
  public static func invalidSource(_ source: String, reason: String) -> ImageError {
    ImageError(.invalidSource, source, detail: .reason(reason))
  }

  /// A size with a side that is below 1 or too large.
  public static func invalidSize(_ size: PixelSize, source: String) -> ImageError {
    ImageError(.invalidSize, source, detail: .size(size))
  }

  /// No file of this name.
  public static func noSuchFile(_ source: String) -> ImageError { ImageError(.noSuchFile, source) }

  /// A folder instead of a file.
  public static func isDirectory(_ source: String) -> ImageError { ImageError(.isDirectory, source) }

  /// A file that cannot be read; `code` is the error number of the system.
  public static func unreadableFile(_ source: String, code: Int32) -> ImageError {
    ImageError(.unreadableFile, source, detail: .systemError(code))
  }

  /// A pipe, a socket or a device; also of the kind `unreadableFile`, without an error number.
  package static func irregularFile(_ source: String) -> ImageError {
    ImageError(.unreadableFile, source, detail: .reason("this is not a regular file"))
  }

  /// An answer with a status other than 200 to 299.
  public static func httpStatus(_ status: Int, source: String) -> ImageError {
    ImageError(.httpStatus, source, detail: .status(status))
  }

  /// A host without an address.
  public static func nameNotResolved(_ source: String, underlying: HTTPError) -> ImageError {
    ImageError(.nameNotResolved, source, cause: underlying)
  }

  /// A host that refused the connection.
  public static func connectionRefused(_ source: String, underlying: HTTPError) -> ImageError {
    ImageError(.connectionRefused, source, cause: underlying)
  }

  /// A time limit of the transport.
  public static func timedOut(_ source: String, underlying: HTTPError) -> ImageError {
    ImageError(.timedOut, source, cause: underlying)
  }

  /// A body that ended before its announced length.
  public static func bodyTruncated(_ source: String, underlying: HTTPError) -> ImageError {
    ImageError(.bodyTruncated, source, cause: underlying)
  }

  /// A file or body over `limit` bytes.
  public static func bodyTooLarge(_ source: String, limit: Int) -> ImageError {
    ImageError(.bodyTooLarge, source, detail: .byteLimit(limit))
  }

  /// Another failure of the transport.
  public static func transport(_ source: String, underlying: HTTPError) -> ImageError {
    ImageError(.transport, source, cause: underlying)
  }

  /// An error from code of the app.
  public static func fetchFailed(_ source: String, underlying: any Error) -> ImageError {
    ImageError(.fetchFailed, source, cause: underlying)
  }

  /// A fetcher that asks for the picture that it fetches, or for one that waits for it.
  static func waitsForItself(_ source: String) -> ImageError {
    .fetchFailed(source, underlying: FetchCycleError())
  }

  /// A source without bytes.
  public static func emptyData(_ source: String) -> ImageError {
    ImageError(.emptyData, source, cause: ImageDecodingError.emptyData)
  }

  /// Bytes that are not an image; `kind` names what they are, if that is known: "an HTML page".
  public static func notAnImage(_ source: String, kind: String?) -> ImageError {
    ImageError(.notAnImage, source, cause: ImageDecodingError.notAnImage(kind: kind))
  }

  /// A format that no decoder reads.
  public static func unsupportedType(_ source: String, type: ImageType, reason: String) -> ImageError {
    ImageError(.unsupportedType, source, cause: ImageDecodingError.unsupportedType(type, reason: reason))
  }

  /// A file that breaks the rules of its format; `stage` is the part of the file that was being read.
  public static func corruptData(
    _ source: String, type: ImageType, stage: String, reason: String
  ) -> ImageError {
    ImageError(.corruptData, source, cause: ImageDecodingError.corrupt(type, stage: stage, reason: reason))
  }

  /// A file that ends in the part `stage`, before its picture does.
  public static func truncatedData(_ source: String, type: ImageType, stage: String) -> ImageError {
    ImageError(.truncatedData, source, cause: ImageDecodingError.truncated(type, stage: stage))
  }

  /// A part that lies outside the picture of this size.
  public static func regionOutside(
    _ source: String, region: PixelRectangle, size: PixelSize
  ) -> ImageError {
    ImageError(.regionOutside, source, cause: ImageDecodingError.regionOutside(region, of: size))
  }

  /// A picture over a limit.
  public static func limitExceeded(_ source: String, violation: DecodingLimits.Violation) -> ImageError {
    ImageError(.limitExceeded, source, cause: ImageDecodingError.limitExceeded(violation))
  }

  /// A decoder whose process failed.
  public static func decoderFailed(
    _ source: String, type: ImageType, failure: DecoderFailure
  ) -> ImageError {
    ImageError(.decoderFailed, source, cause: ImageDecodingError.decoderFailed(type, failure))
  }

  /// A processor that failed.
  public static func processingFailed(_ source: String, underlying: ProcessingError) -> ImageError {
    ImageError(.processingFailed, source, cause: underlying)
  }

  /// A picture that could not be written as a file.
  public static func encodingFailed(_ source: String, underlying: ImageEncodingError) -> ImageError {
    ImageError(.encodingFailed, source, cause: underlying)
  }

  /// A picture that is in none of the caches.
  public static func notCached(_ source: String) -> ImageError { ImageError(.notCached, source) }

  /// A cancelled request.
  public static func cancelled(_ source: String) -> ImageError { ImageError(.cancelled, source) }

  /// What stands for the outcome of work until it is over.
  static let unfinished = ImageError(.cancelled, "")

  /// A load that took longer than it may; `stage` is the part that ran at that time.
  public static func deadlineExceeded(_ source: String, stage: ImageStage) -> ImageError {
    ImageError(.deadlineExceeded, source, detail: .stage(stage))
  }
}

/// The error of a fetcher that would wait for itself for ever.
struct FetchCycleError: Error, CustomStringConvertible {
  var description: String { "its fetcher waits for this picture itself" }
}

extension ImageError {
  init(_ error: ImageDecodingError, source: String) {
    let kind: Kind? =
      switch error {
      case .emptyData: .emptyData
      case .notAnImage: .notAnImage
      case .unsupportedType: .unsupportedType
      case .corrupt: .corruptData
      case .truncated: .truncatedData
      case .regionOutside: .regionOutside
      case .limitExceeded: .limitExceeded
      case .decoderFailed: .decoderFailed
      case .cancelled: nil
      }
    self = kind.map { ImageError($0, source, cause: error) } ?? .cancelled(source)
  }

  init(_ error: HTTPError, source: String) {
    self =
      switch error.reason {
      case .invalidURL, .unsupportedScheme, .invalidRequest:
        .invalidSource(source, reason: error.message)
      case .nameNotResolved: .nameNotResolved(source, underlying: error)
      case .connectionRefused: .connectionRefused(source, underlying: error)
      case .timedOut: .timedOut(source, underlying: error)
      case .bodyTruncated, .contentCodingTruncated: .bodyTruncated(source, underlying: error)
      case .bodyTooLarge(let limit): .bodyTooLarge(source, limit: limit)
      case .cancelled: .cancelled(source)
      default: .transport(source, underlying: error)
      }
  }
}
