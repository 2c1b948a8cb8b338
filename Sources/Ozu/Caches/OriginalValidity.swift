import Foundation
import OzuHTTP

/// How long what was made from an original stands for it: a rendition is as fresh as its original, and dies with
/// the original's body.
struct OriginalValidity: Hashable, Sendable {
  /// Until when nobody need be asked.
  let freshUntil: Date
  /// Of the body it was made from.
  let bodyIdentity: String
  /// Whether it may be served past that time when the origin cannot be reached (RFC 9111 §4.2.4).
  let mayOutlive: Bool

  func isFresh(at date: Date) -> Bool { date < freshUntil }

  /// Whether something made from `other` still stands for this.
  func hasBody(of other: OriginalValidity?) -> Bool {
    !bodyIdentity.isEmpty && other?.bodyIdentity == bodyIdentity
  }
}

extension ImageRequest {
  /// Whether what was made from an original may be served without a look at it. Not under rules of the request's
  /// own: the time was told by those of the pipeline.
  func mayServe(_ validity: OriginalValidity?, at date: Date) -> Bool {
    validity.map { httpPolicy == nil && $0.isFresh(at: date) } ?? true
  }
}
