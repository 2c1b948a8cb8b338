import OzuBase
import OzuHTTP

/// A picture as an encoded file, for example to write to disk or to send to a client.
///
/// The same request in the same format gives the same bytes in every state of the caches: the file is always made
/// from the original, never from a rendition with losses.
public struct EncodedImage: Sendable {
  /// The bytes of the file. Bytes from the disk cache are verified and copied: reading a mapped file on a failing
  /// medium would end the process.
  public var data: Data { entry.data }
  /// The format: one of `OutputFormat.types`.
  public var type: ImageType { entry.record.type }
  /// The size in pixels.
  public var size: PixelSize { entry.record.size }
  /// The number of frames that the file shows; equal ones may be stored as one. 1 for a still picture.
  public var frameCount: Int { entry.record.frameCount }
  /// The header of the source; `nil` if a fetcher returned pixels. From a disk cache it comes without the fields that
  /// `Picture.header` names.
  public var header: ImageHeader? { entry.record.rendition.header }
  /// The size of the original in bytes; 0 if a fetcher returned pixels.
  public var sourceByteCount: Int { entry.record.sourceByteCount }
  /// Notes for users: those of the picture, and those about data of the source that could not be kept.
  public var notes: [String] { entry.record.notes }
  /// A strong entity tag of the bytes, with its quotes (RFC 9110 §8.8.3). Equal bytes have the same tag on every
  /// machine.
  public var entityTag: String { "\"\(entry.record.checksum)\"" }

  /// Where the answer came from. `rendition` means that a store had this file, and `memory` that memory had it; all
  /// other values name the place of the source's bytes.
  public var source: ImageResponse.Source { answer.source }
  /// Whether it was encoded for this answer, and did not come from a cache.
  public var isNew: Bool { answer.isNew }
  /// Whether the work was shared with an earlier equal request.
  public let isCoalesced: Bool
  /// Whether the origin allows storing it (RFC 9111 §3). True for a file from a cache.
  public var allowsStoring: Bool { answer.allowsStoring }
  /// The durations of the stages; shared work counts once, as measured by the job.
  public let timings: StageTimings
  private let answer: EncodedAnswer
  private var entry: EncodedEntry { answer.entry }

  /// The reason for `source`, for a source from the web; `nil` for others.
  public var httpDecision: HTTPDecision? { answer.verdict.decision }

  /// The time until which a source from the web need not be asked again; `nil` for others. A server may let its
  /// clients keep the file as long.
  public var freshUntil: Date? { answer.freshUntil ?? entry.record.rendition.validity?.freshUntil }

  /// Whether it may be served after that time while the origin cannot be reached (RFC 9111 §4.2.4).
  package var mayUseOffline: Bool { entry.record.rendition.validity?.mayUseOffline ?? false }

  /// The identity of the source's bytes, the same on every machine; `nil` for a source that is not from the web, also where it is as
  /// fresh as one: a canvas has no bytes.
  package var sourceIdentity: String? {
    let identity = entry.record.rendition.validity?.bodyIdentity
    return identity?.isEmpty == false ? identity : nil
  }

  /// Whether the source is an animation and the file is not.
  public var isFirstFrameOnly: Bool { frameCount == 1 && (header?.frameCount ?? 1) > 1 }

  /// - Parameter start: when the request began.
  init(_ answer: EncodedAnswer, since start: JobInstant, isCoalesced: Bool) {
    self.answer = answer
    self.isCoalesced = isCoalesced
    var timings = answer.timings
    // A request that joined at the last moment may have started after the end.
    timings.add(.total, max(.zero, start.duration(to: answer.end)))
    self.timings = timings
  }
}

/// The result of the job of an encoded image, shared by all requests that waited for it.
final class EncodedAnswer: Sendable {
  let entry: EncodedEntry
  let source: ImageResponse.Source
  let isNew: Bool
  let allowsStoring: Bool
  /// By the rules of the request, which may be its own: what is stored is fresh by those of the pipeline. `nil` for a cached file.
  let freshUntil: Date?
  let timings: StageTimings
  let verdict: ImageResponse.Verdict
  let end: JobInstant

  init(
    entry: EncodedEntry, source: ImageResponse.Source, isNew: Bool = false, allowsStoring: Bool = true,
    freshUntil: Date? = nil, timings: StageTimings, verdict: ImageResponse.Verdict, end: JobInstant
  ) {
    (self.entry, self.source, self.isNew, self.allowsStoring) = (entry, source, isNew, allowsStoring)
    (self.freshUntil, self.timings, self.verdict, self.end) = (freshUntil, timings, verdict, end)
  }
}

/// An encoded file in the caches.
final class EncodedEntry: Sendable {
  let data: Data
  let record: EncodedRecord
  /// The key of the source; when the source is removed, the file is found by it.
  let source: CacheKey
  /// The name of its cache format; when the format is emptied, the file is found by it.
  let formatName: String?

  init(_ data: Data, _ record: EncodedRecord, of request: ImageRequest) {
    (self.data, self.record) = (data, record)
    (source, formatName) = (request.key.source, request.format?.name)
  }

  /// Whether it was made from the current state of a local file, or from another kind of source.
  func stands(for source: ImageSource) -> Bool {
    source.filePath.map { FileStamp(path: $0) == record.rendition.stamp } ?? true
  }
}

extension Picture {
  /// A file of the picture, made on the decoding threads of a pipeline.
  ///
  /// ```swift
  /// try await picture.encoded(as: .png).write(to: file)
  /// ```
  ///
  /// - Throws: `ImageEncodingError`.
  public func encoded(
    as type: ImageType, options: EncodingOptions = EncodingOptions(), by pipeline: ImagePipeline = .shared
  ) async throws(ImageEncodingError) -> Data {
    try await pipeline.encode(self, as: type, options: options)
  }

  /// `await encoded(as: .png)` makes a file of the picture.
  @available(*, unavailable, message: "use 'await encoded(as: .png)'")
  public func pngData() -> Data? { nil }
  /// A picture is an animation or has none.
  @available(*, unavailable, message: "use 'animation != nil'")
  public var isAnimated: Bool { animation != nil }
  /// A request has sizes of its own.
  @available(*, unavailable, message: "use 'resized(Resize(size))'; a request is better: 'resized(to: size)'")
  public func resized(to size: PixelSize) -> Picture { self }
  /// A pipeline decodes files.
  @available(*, unavailable, message: "use 'await pipeline.image(for: ImageRequest(data: …))'")
  public init?(data: Data) { self.init(Bitmap(size: PixelSize(1, 1)) { _, _ in .white }) }
  /// A pipeline loads files.
  @available(*, unavailable, message: "use 'await pipeline.image(for: url)'")
  public init?(contentsOf url: URL) { self.init(Bitmap(size: PixelSize(1, 1)) { _, _ in .white }) }

  /// `await encoded(as: .png)` makes a file of the picture.
  @available(*, unavailable, message: "use 'await encoded(as: .png).write(to: file)'")
  public func write(to file: URL) throws {}

  /// `await encoded(as: .jpeg)` makes a file of the picture.
  @available(
    *, unavailable, message: "use 'await encoded(as: .jpeg, options: .init(compressionQuality: …))'"
  )
  public func jpegData(compressionQuality: Double) -> Data? { nil }
}

/// Names that users of other libraries try first. The compiler says which name is the right one.
extension EncodedImage {
  /// The bytes are `data`.
  @available(*, unavailable, message: "use 'data.write(to:)'")
  public func write(to file: URL) throws {}
}
