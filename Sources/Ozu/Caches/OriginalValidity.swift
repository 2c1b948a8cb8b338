import Foundation
import OzuHTTP

/// How long a picture made from an original is valid: it is as fresh as its original, and becomes invalid when the
/// body of the original changes.
struct OriginalValidity: Hashable, Sendable {
  /// When the origin sent or confirmed it last.
  let receptionDate: Date
  /// Until this time the origin need not be asked.
  let freshUntil: Date
  /// The identity of the body from which the picture was made.
  let bodyIdentity: String
  /// Whether the picture may be served after that time if the origin cannot be reached (RFC 9111 §4.2.4).
  let mayUseOffline: Bool

  /// Whether the origin need not be asked. Like a stored response, a picture that is dated in the future is not fresh.
  func isFresh(at date: Date) -> Bool {
    date < freshUntil && !HTTPCachePolicy.isDatedInFuture(receptionDate, now: date)
  }

  /// Whether both have the same body.
  func hasBody(of other: OriginalValidity?) -> Bool {
    !bodyIdentity.isEmpty && other?.bodyIdentity == bodyIdentity
  }
}

extension ImageRequest {
  /// Whether a picture made from an original may be served without asking the origin. False if the request has its
  /// own HTTP rules, because the time was computed by the rules of the pipeline.
  func mayServe(_ validity: OriginalValidity?, at date: Date) -> Bool {
    validity.map { httpPolicy == nil && $0.isFresh(at: date) } ?? true
  }
}
