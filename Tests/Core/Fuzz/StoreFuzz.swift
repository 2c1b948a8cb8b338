import Dispatch
import Foundation
import Ozu
import OzuBase
import OzuHTTP

/// Loads pictures by a pipeline whose store has one entry for everything: the input, which is two bytes with the length of the
/// metadata, the metadata, and the body. The origin answers only sometimes.
@Sendable
func fuzzStore(_ input: Data) {
  guard input.count >= 2 else { return }
  let length = Int(input[0]) | Int(input[1]) << 8
  let rest = input.dropFirst(2)
  let store = OneEntry(
    ImageStoreEntry(metadata: Data(rest.prefix(length)), body: Data(rest.dropFirst(length))))
  wait {
    await load(by: pipeline(store, Origin(isReachable: length % 2 == 0)))
  }
}

/// The entries that a pipeline writes.
@Sendable
func storeSamples() -> [Data] {
  let store = OneEntry(nil)
  wait { await load(by: pipeline(store, Origin(isReachable: true))) }
  return store.written.withLock { $0 }.filter { $0.metadata.count < 60_000 }.map { entry in
    let count = UInt16(entry.metadata.count)
    return Data([UInt8(truncatingIfNeeded: count), UInt8(count >> 8)]) + entry.metadata + entry.body
  }
}

private func wait(for work: @escaping @Sendable () async -> Void) {
  let done = DispatchSemaphore(value: 0)
  Task.detached {
    await work()
    done.signal()
  }
  done.wait()
}

private func pipeline(_ store: OneEntry, _ origin: Origin) -> ImagePipeline {
  ImagePipeline {
    $0.caching.diskStorage = .none
    $0.caching.stores = [store]
    $0.network.httpClient = origin
    $0.network.retryPolicy.maximumRetryCount = 0
    $0.decoding.limits = fuzzLimits
  }
}

private func load(by pipeline: ImagePipeline) async {
  guard let url = URL(string: "http://fuzz.example/a.jpg") else { return }
  let small = ImageRequest(url: url, resize: Resize(PixelSize(8, 8)))
  _ = try? await pipeline.image(for: small)
  _ = try? await pipeline.data(for: ImageRequest(url: url))
  if let file = try? await pipeline.encoded(for: small, as: .png) {
    precondition(!file.data.isEmpty, "a file without content")
  }
  _ = try? await pipeline.header(for: ImageRequest(url: url))
  await pipeline.flush()
}

private final class OneEntry: ImageStoring {
  private let entry: ImageStoreEntry?
  let written = Mutex<[ImageStoreEntry]>([])

  init(_ entry: ImageStoreEntry?) { self.entry = entry }

  func read(_ key: ImageStoreKey) -> ImageStoreEntry? { entry }
  func write(_ entry: ImageStoreEntry, for key: ImageStoreKey) { written.withLock { $0.append(entry) } }
  func remove(_ key: ImageStoreKey) {}
  func removeAll(of kind: ImageStoreKind) {}
  func removeAll() {}
}

private struct Origin: HTTPClient {
  let isReachable: Bool

  private static let picture: Data = {
    let bitmap = Bitmap(size: PixelSize(24, 16), isOpaque: true) { x, y in
      Pixel(red: UInt8(x * 9), green: UInt8(y * 9), blue: 3)
    }
    return (try? fuzzCodecs.encode(bitmap, as: .jpeg)) ?? Data()
  }()

  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse {
    guard isReachable else { throw HTTPError(.connectionLost) }
    let body = Self.picture
    let head = HTTPResponseHead(
      status: 200,
      headers: [
        "Content-Type": "image/jpeg", "Content-Length": "\(body.count)", "ETag": "\"a\"",
        "Cache-Control": "max-age=60",
      ], url: request.url)
    try sink.begin(head)
    let result = body.withUnsafeBytes { body in
      Result { () throws(HTTPError) in try sink.append(body.bytes) }
    }
    try result.get()
    return HTTPResponse(head: head, bodyByteCount: body.count)
  }
}
