import Foundation
import OzuHTTP

/// How long what was made from an original stands for it: a rendition is as fresh as its original, and dies with
/// the original's body.
struct OriginalValidity: Hashable, Sendable, Codable {
  /// Until when nobody need be asked.
  let freshUntil: Date
  /// Of the body it was made from.
  let bodyIdentity: String

  func isFresh(at date: Date) -> Bool { date < freshUntil }

  /// Whether something made from `other` still stands for this.
  func hasBody(of other: OriginalValidity?) -> Bool {
    !bodyIdentity.isEmpty && other?.bodyIdentity == bodyIdentity
  }
}
