import Foundation
import OzuHTTP

/// A picture as a file: what is written to a disk or sent to a client, with where it came from.
///
/// The same request in the same format gives the same bytes whatever the caches have: it is always made of the source's own
/// bytes, never of a picture that was stored with loss.
public struct EncodedImage: Sendable {
  /// The bytes of the file. Those from the disk cache are a copy that was verified: a mapped file whose medium fails would
  /// end the process.
  public var data: Data { entry.data }
  /// The format: one of `OutputFormat.types`.
  public var type: ImageType { entry.record.type }
  /// The size in pixels.
  public var size: PixelSize { entry.record.size }
  /// How many frames the file shows, each for its time; equal ones may be stored as one. 1 for a still picture.
  public var frameCount: Int { entry.record.frameCount }
  /// What the source says of itself; `nil` when its fetcher brought pixels.
  public var header: ImageHeader? { entry.record.rendition.header }
  /// How many bytes the file of the source has; 0 when its fetcher brought pixels.
  public var sourceByteCount: Int { entry.record.sourceByteCount }
  /// What a user may want to know: notes of the picture, and what could not be taken over from the source.
  public var notes: [String] { entry.record.notes }
  /// A strong entity tag of the bytes, with its quotes (RFC 9110 §8.8.3): the same bytes have the same on every machine.
  public var entityTag: String { "\"\(entry.record.checksum)\"" }

  /// Where the answer came from. `rendition` means that a store had these bytes and `memory` that memory had them; all
  /// others name the place of the source's bytes.
  public let source: ImageResponse.Source
  /// Whether it was encoded for this answer, and not found.
  public let isNew: Bool
  /// Whether the work was shared with an equal request that was there before.
  public let isCoalesced: Bool
  /// Whether the origin lets anybody keep it (RFC 9111 §3). What came from a cache was kept already.
  public let allowsStoring: Bool
  /// How long each stage took; shared work counts once, as the work measured it.
  public let timings: StageTimings
  private let verdict: ImageResponse.Verdict
  private let entry: EncodedEntry

  /// Why it came from where it came, for a source from the web; `nil` for others.
  public var httpDecision: HTTPDecision? { verdict.decision }

  /// Until when a source from the web need not be asked again; `nil` for others. What is sent on may be fresh as long.
  public var freshUntil: Date? { entry.record.rendition.validity?.freshUntil }

  /// Tells the bytes of the source from all others, on every machine; `nil` for a source that is not from the web.
  package var sourceIdentity: String? { entry.record.rendition.validity?.bodyIdentity }

  /// Whether the source moves and the file does not.
  public var isStillOfAnimation: Bool { frameCount == 1 && (header?.frameCount ?? 1) > 1 }

  init(_ answer: EncodedAnswer, total: Duration, isCoalesced: Bool) {
    entry = answer.entry
    source = answer.source
    isNew = answer.isNew
    allowsStoring = answer.allowsStoring
    verdict = answer.verdict
    self.isCoalesced = isCoalesced
    var timings = answer.timings
    timings.add(.total, total)
    self.timings = timings
  }
}

/// What the job of an encoded image has come to, shared by all who waited for it.
struct EncodedAnswer: Sendable {
  let entry: EncodedEntry
  let source: ImageResponse.Source
  let isNew: Bool
  var allowsStoring = true
  let timings: StageTimings
  let verdict: ImageResponse.Verdict
}

/// A file that was made, as the caches have it.
final class EncodedEntry: Sendable {
  let data: Data
  let record: EncodedRecord
  /// The key of the source, by which it is found when that is removed.
  let source: CacheKey
  /// The cache format it was made in, by which it is found when that is emptied.
  let formatName: String?

  init(_ data: Data, _ record: EncodedRecord, of request: ImageRequest) {
    (self.data, self.record) = (data, record)
    (source, formatName) = (request.key.source, request.format?.name)
  }

  /// Whether it was made of a local file as that is now, or of no local file.
  func stands(for source: ImageSource) -> Bool {
    source.filePath.map { FileStamp(path: $0) == record.rendition.stamp } ?? true
  }
}
