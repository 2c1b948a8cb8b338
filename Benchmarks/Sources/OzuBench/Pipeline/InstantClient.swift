import Foundation
import Ozu
import OzuHTTP
import Synchronization

/// Answers every request with a few bytes that look like a PNG, at once or when it is released.
final class InstantClient: HTTPClient {
  private static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

  private let body: [UInt8]

  private struct State {
    var isHeld: Bool
    var held: [CheckedContinuation<Void, Never>] = []
  }

  private let state: Mutex<State>

  /// - Parameter byteCount: of each answer; those behind the signature are zero.
  init(isHeld: Bool = false, byteCount: Int = 8) {
    body = Self.signature + [UInt8](repeating: 0, count: max(0, byteCount - Self.signature.count))
    state = Mutex(State(isHeld: isHeld))
  }

  var heldCount: Int { state.withLock { $0.held.count } }

  func release() {
    let held = state.withLock { state in
      state.isHeld = false
      defer { state.held = [] }
      return state.held
    }
    for continuation in held { continuation.resume() }
  }

  func send(_ request: HTTPRequest, into sink: any HTTPBodySink) async throws(HTTPError) -> HTTPResponse {
    await withCheckedContinuation { continuation in
      let isHeld = state.withLock { state in
        if state.isHeld { state.held.append(continuation) }
        return state.isHeld
      }
      if !isHeld { continuation.resume() }
    }
    let head = HTTPResponseHead(status: 200, url: request.url)
    try sink.begin(head)
    let body = body
    try sink.append(body.span.bytes)
    return HTTPResponse(head: head, bodyByteCount: body.count)
  }
}

/// Makes one pixel of anything that begins like a PNG.
struct OnePixelDecoder: ImageDecoding {
  let types = [ImageType.png]

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    OnePixelFile()
  }
}

private final class OnePixelFile: ImageFile {
  private static let pixel = Bitmap(size: PixelSize(width: 1, height: 1)) { _, _ in
    Pixel(red: 1, green: 2, blue: 3)
  }

  let header = ImageHeader(type: .png, storedSize: PixelSize(width: 1, height: 1))

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    Self.pixel
  }
}
