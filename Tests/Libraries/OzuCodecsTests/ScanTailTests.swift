import Foundation
import JPEGOracle
import OzuBase
import OzuCodecs
import OzuImaging
import OzuTesting
import Testing

/// When the second thread does its work.
enum Assistance: CaseIterable {
  /// Before the first half begins.
  case before
  /// At the same time.
  case beside
  /// Long after the decode, when its file is already freed.
  case after

  /// Decodes with such a thread, if one is asked for, and counts the rows of groups that were read on the calling
  /// thread.
  func decode(
    _ data: Data, eighths: (Int, Int), share: Double, allowsTruncation: Bool = false,
    smallestByteCount: Int = 64
  ) -> (outcome: Outcome, rowCount: Int) {
    assist { assistant in
      Outcome.of(
        data, eighths: eighths, division: ScanDivision(smallestByteCount: smallestByteCount, share: share),
        assistant: assistant, allowsTruncation: allowsTruncation)
    }
  }

  /// Decodes in the closure with such a thread.
  func assist<Result>(_ decode: (DecodingAssistant) throws -> Result) rethrows -> Result {
    let work = Mutex<[@Sendable () -> Void]>([])
    let assistant = DecodingAssistant { half in
      switch self {
      case .before: half()
      case .beside: Thread.detachNewThread(half)
      case .after: work.withLock { $0.append(half) }
      }
      return true
    }
    let result = try decode(assistant)
    for half in work.withLock({ $0 }) { half() }
    return result
  }
}

/// The samples of all planes, or why there are none.
enum Outcome: Equatable {
  case samples([[Int16]])
  case failure(String)
  case refused

  static func of(
    _ data: Data, eighths: (Int, Int), division: ScanDivision = ScanDivision(),
    assistant: DecodingAssistant? = nil, allowsTruncation: Bool = false
  ) -> (outcome: Outcome, rowCount: Int) {
    var rowCount = 0
    let context = DecodingContext(
      pool: PixelBufferPool(retainedByteLimit: 0), allowsTruncation: allowsTruncation,
      isCancelled: {
        rowCount += 1
        return false
      }
    ).assisted(by: assistant)
    do throws(ImageDecodingError) {
      let planes = try ReducedJPEGDecoder.planes(
        of: data, eighths: eighths, division: division, context: context)
      guard let planes else { return (.refused, rowCount) }
      return (.samples(planes.planes.map { Array($0.samples) }), rowCount)
    } catch {
      return (.failure("\(error)"), rowCount)
    }
  }
}

@Suite("The second half of a scan on another thread")
struct ScanTailTests {
  static let variants = [
    JPEGVariant(PixelSize(640, 480)),
    JPEGVariant(PixelSize(637, 479), sampling: (2, 1), optimizesTables: true),
    JPEGVariant(PixelSize(500, 390), isGray: true, quality: 60),
    JPEGVariant(PixelSize(450, 300), sampling: (1, 1), optimizesTables: true, quality: 97),
    // A marker for each row, for four groups, for three rows, and for three rows in eight.
    JPEGVariant(PixelSize(640, 480), restartInterval: 40),
    JPEGVariant(PixelSize(640, 480), restartInterval: 4),
    JPEGVariant(PixelSize(500, 390), isGray: true, restartInterval: 189),
    JPEGVariant(PixelSize(640, 480), restartInterval: 15),
  ]

  @Test("gives the same samples, wherever it begins", arguments: variants, Assistance.allCases)
  func equality(variant: JPEGVariant, assistance: Assistance) {
    let data = variant.data
    for scale in Cases.every(2, of: [1, 2, 3, 4, 5, 6, 8]) {
      let (whole, rowCount) = Outcome.of(data, eighths: (scale, scale))
      var metCount = 0
      for share in [0, 0.03, 0.2, 0.37, 0.49, 0.61, 0.75, 0.9, 0.97] {
        let (halves, halfRowCount) = assistance.decode(data, eighths: (scale, scale), share: share)
        let isEqual = halves == whole
        #expect(isEqual, "\(scale)/8, the first \(share)")
        if halfRowCount < rowCount { metCount += 1 }
      }
      switch assistance {
      // Nearly all synchronise; those at the very ends need not.
      case .before: #expect(metCount >= 6)
      case .beside: break
      case .after: #expect(metCount == 0)
      }
    }
  }

  @Test("takes pieces until the first thread is near", arguments: variants)
  func pieces(variant: JPEGVariant) {
    let data = variant.data
    let (whole, rowCount) = Outcome.of(data, eighths: (2, 2))
    // The end of the scan alone is a tenth.
    let (halves, halfRowCount) = Assistance.before.decode(data, eighths: (2, 2), share: 0.9)
    #expect(halves == whole)
    #expect(halfRowCount < rowCount / 4)
  }

  @Test("gives the same samples if the pieces have more rows than their planes", arguments: [64, 96])
  func fewRows(height: Int) {
    let data = JPEGVariant(PixelSize(1500, height)).data
    let (whole, rowCount) = Outcome.of(data, eighths: (2, 2))
    var metCount = 0
    for share in stride(from: 0.3, to: 1, by: 0.05) {
      let (halves, halfRowCount) = Assistance.before.decode(data, eighths: (2, 2), share: share)
      #expect(halves == whole, "the first \(share)")
      if halfRowCount < rowCount { metCount += 1 }
    }
    #expect(metCount > 7)
  }

  @Test("gives the same samples or the same error for any file with wrong bits", arguments: variants)
  func mutants(variant: JPEGVariant) {
    let whole = variant.data
    var random = SeededGenerator(seed: 20)
    let rounds = Cases.count(75, of: 150)
    var metCount = 0
    for round in 0..<rounds {
      var data = whole
      for _ in 0...round % 4 {
        let place = Int.random(in: 600..<data.count, using: &random)
        data[place] =
          round % 2 == 0 ? data[place] ^ 1 << UInt8(round % 8) : UInt8.random(in: 0...255, using: &random)
      }
      if round % 5 == 0 { data = data.prefix(Int.random(in: 700..<data.count, using: &random)) }
      let share = Double.random(in: 0..<1, using: &random)
      let allowsTruncation = round % 3 == 0
      let expected = Outcome.of(data, eighths: (2, 2), allowsTruncation: allowsTruncation)
      let made = Assistance.before.decode(
        data, eighths: (2, 2), share: share, allowsTruncation: allowsTruncation)
      #expect(made.outcome == expected.outcome, "round \(round)")
      if made.rowCount < expected.rowCount { metCount += 1 }
    }
    #expect(metCount > rounds / 2)
  }

  @Test(
    "reports missing data as the whole decode does, for a picture of few groups",
    arguments: [10, 20, 40])
  func truncation(side: Int) throws {
    let variant = JPEGVariant(PixelSize(side, side), isGray: true, quality: 97)
    let whole = variant.data
    let data = try #require(whole.lastRange(of: [0xFF, 0xDA])).upperBound
    var metCount = 0
    for length in stride(from: data + 12, to: whole.count, by: max(1, (whole.count - data) / 60)) {
      let file = whole.prefix(length)
      let expected = Outcome.of(file, eighths: (3, 3))
      for share in stride(from: 0, to: 1, by: 0.04) {
        let made = Assistance.before.decode(file, eighths: (3, 3), share: share, smallestByteCount: 4)
        #expect(made.outcome == expected.outcome, "\(length) bytes, the first \(share)")
        if made.rowCount < expected.rowCount { metCount += 1 }
      }
    }
    #expect(metCount > 100)
  }

  @Test("is not asked for small files and for progressive ones")
  func unasked() {
    let data = Self.variants[0].data
    let nobody = DecodingAssistant { _ in
      Issue.record("it was asked")
      return false
    }
    _ = Outcome.of(data, eighths: (2, 2), assistant: nobody)
    let progressive = JPEGVariant(PixelSize(320, 240), isProgressive: true).data
    _ = Outcome.of(
      progressive, eighths: (2, 2), division: ScanDivision(smallestByteCount: 64), assistant: nobody)
  }

  @Test("is waited for when the decode is cancelled", arguments: [1, 2])
  func cancellation(rows: Int) {
    // On a busy computer the tail may be done before the first thread goes on, which then meets it before it asks again.
    #expect((0..<100).contains { _ in isCancelled(afterRows: rows) })
  }

  private func isCancelled(afterRows rows: Int) -> Bool {
    let data = Self.variants[0].data
    let hasBegun = DispatchSemaphore(value: 0)
    let isOver = Mutex(false)
    let assistant = DecodingAssistant { half in
      Thread.detachNewThread {
        hasBegun.signal()
        half()
        isOver.withLock { $0 = true }
      }
      return true
    }
    let pool = PixelBufferPool(retainedByteLimit: 0)
    var left = rows
    let context = DecodingContext(
      pool: pool,
      isCancelled: {
        if left == rows { hasBegun.wait() }
        left -= 1
        return left < 0
      }
    ).assisted(by: assistant)
    var isCancelled = false
    do throws(ImageDecodingError) {
      _ = try ReducedJPEGDecoder.planes(
        of: data, eighths: (2, 2), division: ScanDivision(smallestByteCount: 64), context: context)
    } catch {
      isCancelled = error == .cancelled
    }
    // The thread's closure holds memory of the pool until it is released.
    while !isOver.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.001) }
    return isCancelled
  }

  @Test("takes no memory that is not free", arguments: [1, 1 << 20])
  func budget(free: Int) throws {
    let budget = DecodedByteBudget(byteLimit: 8 << 20)
    let others = try budget.reserve(budget.byteLimit - free)
    let askedCount = Mutex(0)
    let context = DecodingContext(
      budget: budget
    ).assisted(
      by: DecodingAssistant { _ in
        askedCount.withLock { $0 += 1 }
        return false
      })
    let data = Self.variants[0].data
    _ = try ReducedJPEGDecoder.planes(
      of: data, eighths: (2, 2), division: ScanDivision(smallestByteCount: 64), context: context)
    #expect(askedCount.withLock { $0 } == (free == 1 ? 0 : 1))
    withExtendedLifetime(others) {}
  }
}
