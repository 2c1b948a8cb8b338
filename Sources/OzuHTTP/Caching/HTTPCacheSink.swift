import OzuSynchronization

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Collects what a cache wants of a response: the body of a success, behind the beginning that was there before if
/// a 206 continues it; of everything else only what is asked for.
///
/// The transport's thread calls it; the cache reads it after the exchange. One lock guards its state.
final class HTTPCacheSink: HTTPBodySink {
  private struct State {
    var head: HTTPResponseHead?
    var isDropped = false
    var isContinued = false
    var rejection: String?
    var body = Data()
    var receivedByteCount = 0
    var hasOverflown = false
  }

  private let state = Mutex(State())
  private let partial: HTTPPartialBody?
  private let keepsErrorBodies: Bool
  private let followsRedirects: Bool
  private let onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?

  /// More of a body that nobody wants is not waited for.
  private static let droppedByteLimit = 1 << 16
  /// How many bytes an announced length may reserve before any has come.
  private static let maximumReservation = 16 << 20

  init(
    partial: HTTPPartialBody?, keepsErrorBodies: Bool, followsRedirects: Bool,
    onProgress: (@Sendable (_ received: Int, _ expected: Int?) -> Void)?
  ) {
    self.partial = partial
    self.keepsErrorBodies = keepsErrorBodies
    self.followsRedirects = followsRedirects
    self.onProgress = onProgress
  }

  func begin(_ head: HTTPResponseHead) throws(HTTPError) {
    let isRedirect =
      followsRedirects && [301, 302, 303, 307, 308].contains(head.status)
      && head.headers.contains(name: "Location")
    let isContinued = head.status == 206 && partial != nil
    let rejection = isContinued ? partial?.reasonToReject(head) : nil
    let isDropped =
      isRedirect || head.status == 416 && partial != nil || head.status >= 400 && !keepsErrorBodies
    state.withLock { state in
      state.head = head
      state.isContinued = isContinued
      state.rejection = rejection
      state.isDropped = isDropped
      guard rejection == nil, !isDropped else { return }
      if let partial, isContinued { state.body.append(partial.body) }
      if let count = head.expectedByteCount {
        state.body.reserveCapacity(state.body.count + min(count, Self.maximumReservation))
      }
    }
    if let rejection { throw HTTPError(.refused("the rest does not fit: \(rejection)"), url: head.url) }
    if (200..<300).contains(head.status) { report(head) }
  }

  func append(_ bytes: RawSpan) throws(HTTPError) {
    let count = bytes.byteCount
    let (head, isOver) = bytes.withUnsafeBytes { buffer in
      state.withLock { state -> (HTTPResponseHead?, Bool) in
        state.receivedByteCount += count
        if state.isDropped {
          state.hasOverflown = state.receivedByteCount > Self.droppedByteLimit
        } else if let start = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self) {
          state.body.append(start, count: count)
        }
        return (state.head, state.hasOverflown)
      }
    }
    if isOver { throw HTTPError(.refused("the status is \(head?.status ?? 0)"), url: head?.url) }
    if let head, (200..<300).contains(head.status) { report(head) }
  }

  private func report(_ head: HTTPResponseHead) {
    guard let onProgress else { return }
    let (count, isContinued) = state.withLock { ($0.body.count, $0.isContinued) }
    let offset = isContinued ? partial?.body.count ?? 0 : 0
    onProgress(count, head.expectedByteCount.map { $0 + offset })
  }

  /// The head, once it has come.
  var head: HTTPResponseHead? { state.withLock { $0.head } }

  /// Whether a body that nobody wants was cut off by us: the exchange is as good as done.
  var hasOverflown: Bool { state.withLock { $0.hasOverflown } }

  /// Why the 206 did not fit.
  var rejection: String? { state.withLock { $0.rejection } }

  /// Whether a 206 went on with the beginning.
  var isContinued: Bool { state.withLock { $0.isContinued } }

  /// Returns what has come, after the beginning if there was one, and leaves the sink empty.
  func takeBody() -> Data {
    state.withLock { state in
      let body = state.body
      state.body = Data()
      return body
    }
  }
}

/// Tells bodies apart: 128 bits of a fast hash and the length. It finds changes, not forgeries.
enum HTTPBodyIdentity {
  static func of(_ body: Data) -> String {
    body.withUnsafeBytes { bytes in
      var first: UInt64 = 0x9E37_79B9_7F4A_7C15 ^ UInt64(bytes.count)
      var second: UInt64 = 0xC2B2_AE3D_27D4_EB4F
      func mix(_ word: UInt64) {
        first = (first ^ word) &* 0xFF51_AFD7_ED55_8CCD
        first ^= first >> 32
        second = (second &+ word) &* 0xC4CE_B9FE_1A85_EC53
        second = second << 31 | second >> 33
      }
      var offset = 0
      while offset &+ 8 <= bytes.count {
        mix(bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
        offset &+= 8
      }
      var tail: UInt64 = 0
      while offset < bytes.count {
        tail = tail << 8 | UInt64(bytes[offset])
        offset &+= 1
      }
      mix(tail)
      mix(0)
      return [first, second, UInt64(bytes.count)].map { String($0, radix: 36) }.joined(separator: "-")
    }
  }
}
