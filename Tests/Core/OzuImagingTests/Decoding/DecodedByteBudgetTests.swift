import Foundation
import OzuBase
import OzuTesting
import Testing

@testable import OzuImaging

/// Reserves on a thread of its own, and reports when it has its reservation.
private final class Visitor: Sendable {
  let result = Mutex<Result<DecodedByteBudget.Reservation, ImageDecodingError>?>(nil)
  let isCancelled = Mutex(false)

  /// Returns when the visitor waits, or has its reservation.
  init(_ byteCount: Int, of budget: DecodedByteBudget) async throws {
    let before = budget.waitingCount
    let thread = Thread { [self] in
      let result = Result { () throws(ImageDecodingError) in
        try budget.reserve(byteCount, isCancelled: { isCancelled.withLock { $0 } })
      }
      self.result.withLock { $0 = result }
    }
    thread.start()
    try await eventually(budget.waitingCount != before || isServed)
  }

  var isServed: Bool { result.withLock { $0 != nil } }

  func untilServed() async throws {
    try await eventually(isServed)
  }

  func leave() {
    result.withLock { $0 = nil }
  }
}

@Suite("The budget of decoded bytes")
struct DecodedByteBudgetTests {
  @Test("lends bytes, and takes them back with the last reference")
  func reserving() throws {
    let budget = DecodedByteBudget(byteLimit: 100)
    var first: DecodedByteBudget.Reservation? = try budget.reserve(60)
    let second = try budget.reserve(40)
    #expect(budget.reservedByteCount == 100)
    #expect(first?.byteCount == 60)
    first = nil
    #expect(budget.reservedByteCount == 40)
    withExtendedLifetime(second) {}
  }

  @Test(
    "the default is 512 MB, and a quarter of what the system leaves the process, but no less than 16 MB",
    arguments: [(nil, 512), (6 << 10, 512), (1 << 10, 256), (120, 30), (30, 16)] as [(Int?, Int)])
  func byAvailableMemory(available: Int?, expected: Int) {
    #expect(DecodedByteBudget.defaultByteLimit(available: available.map { $0 << 20 }) == expected << 20)
  }

  @Test("fails only for more than the whole budget")
  func tooMuch() throws {
    let budget = DecodedByteBudget(byteLimit: 100)
    let violation = DecodingLimits.Violation(.decodedByteCount, value: 101, limit: 100)
    #expect(throws: ImageDecodingError.limitExceeded(violation)) { try budget.reserve(101) }
    #expect(try budget.reserve(100).byteCount == 100)
    #expect(budget.reservedByteCount == 0)
  }

  @Test("serves waiting decodes in order, even if a later one would fit")
  func order() async throws {
    let budget = DecodedByteBudget(byteLimit: 100)
    let first = try await Visitor(70, of: budget)
    let large = try await Visitor(80, of: budget)
    // It would fit, but it came later.
    let small = try await Visitor(10, of: budget)
    #expect(first.isServed)
    #expect(budget.waitingCount == 2)
    first.leave()
    try await large.untilServed()
    try await small.untilServed()
    #expect(budget.reservedByteCount == 90)
    #expect(budget.waitingCount == 0)
  }

  @Test("removes cancelled decodes, and serves the next")
  func cancellation() async throws {
    let budget = DecodedByteBudget(byteLimit: 100)
    let first = try await Visitor(70, of: budget)
    let large = try await Visitor(80, of: budget)
    let small = try await Visitor(10, of: budget)
    large.isCancelled.withLock { $0 = true }
    try await large.untilServed()
    try await small.untilServed()
    let answer = large.result.withLock { $0 }
    #expect(throws: ImageDecodingError.cancelled) { try answer?.get() }
    #expect(budget.reservedByteCount == 80)
    withExtendedLifetime(first) {}
  }

  @Test("is reserved while a picture is decoded, by the number in its plan")
  func decoding() throws {
    let budget = DecodedByteBudget(byteLimit: 10_000)
    let reserved = Mutex(0)
    let header = ImageHeader(type: .png, storedSize: PixelSize(20, 20))
    var codecs = CodecRegistry()
    codecs.register(
      decoder: FakeDecoder(header: header) { size in
        reserved.withLock { $0 = budget.reservedByteCount }
        return .flat(.opaqueRed, size: size)
      })
    _ = try codecs.picture(from: Signature.png, context: DecodingContext(budget: budget))
    let byteCount = reserved.withLock { $0 }
    #expect(byteCount == 1600)
    #expect(budget.reservedByteCount == 0)
    let small = DecodedByteBudget(byteLimit: 1599)
    let violation = DecodingLimits.Violation(.decodedByteCount, value: 1600, limit: 1599)
    #expect(throws: ImageDecodingError.limitExceeded(violation)) {
      try codecs.picture(from: Signature.png, context: DecodingContext(budget: small))
    }
  }
}
