import Foundation
import OzuHTTP
import OzuSynchronization

/// Reads the size of a picture from the first bytes of its download, for views that reserve a place.
///
/// The transport's thread hands bytes over; the header is read on the decoding threads, at twice as many bytes each time,
/// and only while somebody listens. A body that is whole is left to the load, which has the picture as soon. One lock
/// guards the bytes.
final class SizeWatch: Sendable {
  fileprivate struct State {
    var bytes = Data()
    var dueByteCount = SizeWatch.firstByteCount
    var expectedByteCount: Int?
    var isBusy = false
    var isOver = false
  }

  /// A header that is not in so many bytes is told by the load.
  private static let byteLimit = 256 << 10
  /// Fewer bytes than these have no header.
  private static let firstByteCount = 1 << 10

  private let state = Mutex(State())
  private let context: LoadContext
  private let job: SlotID
  private let exchange: HTTPCacheExchange
  private let fetch: FetchWork

  /// - Parameters:
  ///   - job: of the download: the header is as urgent.
  ///   - exchange: has the bytes that a resumed download goes on from.
  ///   - fetch: the download. Its news tell the size, and know who wants to hear it.
  init(_ context: LoadContext, job: SlotID, exchange: HTTPCacheExchange, fetch: FetchWork) {
    self.context = context
    self.job = job
    self.exchange = exchange
    self.fetch = fetch
  }

  /// What sends the request.
  var client: any HTTPClient { exchange.client }
  /// Where else the bytes are seen.
  var tap: BodyTap? { fetch.tap }

  /// Reads the size of a beginning, among the decodes, before pictures of its level that are larger.
  private func read(_ data: Data, then: @escaping @Sendable (PixelSize?) -> Void) {
    let level = context.runner.look { [job] in $0.level(of: job) } ?? .normal
    _ = context.runner.enqueue(on: .decode, priority: level, size: 0) { [context] in
      let configuration = context.configuration
      then(
        PartialHeader(data, codecs: configuration.decoding.codecs, limits: configuration.decoding.limits).size
      )
    }
  }

  /// A response begins: what came before was of another one.
  func begin(_ head: HTTPResponseHead) {
    let isResumed = state.withLock { state in
      guard !state.isOver else { return false }
      state.bytes = Data()
      state.dueByteCount = Self.firstByteCount
      state.expectedByteCount = head.expectedByteCount
      // Of a resumed download the beginning does not pass here.
      state.isOver = head.status != 200
      return head.status == 206
    }
    guard isResumed else { return }
    Task.detached { [self] in
      guard let beginning = await exchange.keptBeginning() else { return }
      read(beginning.prefix(Self.byteLimit)) { size in
        if let size { self.fetch.news.report(size: size) }
      }
    }
  }

  func append(_ bytes: RawSpan) {
    state.withLock { state in
      guard !state.isOver else { return }
      let count = min(bytes.byteCount, Self.byteLimit - state.bytes.count)
      bytes.withUnsafeBytes { state.bytes.append(contentsOf: $0.prefix(count)) }
    }
    readIfDue()
  }

  /// Reads what is there, if somebody listens and there is more than the last time.
  func readIfDue() {
    guard state.withLock({ $0.isDue }), fetch.news.wantsSize else { return }
    let bytes = state.withLock { state -> Data? in
      guard state.isDue else { return nil }
      state.isBusy = true
      state.dueByteCount = state.bytes.count * 2
      return state.bytes
    }
    guard let bytes else { return }
    read(bytes) { [self] size in
      state.withLock { state in
        state.isBusy = false
        state.isOver = state.isOver || size != nil || bytes.count >= Self.byteLimit
        if state.isOver { state.bytes = Data() }
      }
      if let size { fetch.news.report(size: size) } else { readIfDue() }
    }
  }
}

extension SizeWatch: SizeSource {
  func sizeIsWanted() { readIfDue() }
}

extension SizeWatch.State {
  fileprivate var isDue: Bool {
    !isOver && !isBusy && bytes.count >= dueByteCount && bytes.count != expectedByteCount
  }
}
