import Foundation
import JPEGOracle
import OzuBase
import OzuCodecs
import OzuImaging
import OzuStandardCodecs
import OzuTesting
import Testing

/// A sequential JPEG is resampled while it is decoded, and gives the same picture as planes that were decoded before.
@Suite("Reduced JPEG decoder in strips")
struct ReducedJPEGStripTests {
  private func plan(_ data: Data, _ resize: Resize) throws -> DecodePlan {
    DecodePlan(header: try CodecRegistry.standard.header(of: data), resize: resize)
  }

  /// The results of both ways, without the conversion of colours.
  private func render(
    _ data: Data, _ resize: Resize, _ context: DecodingContext = .init()
  ) throws -> (strips: Bitmap?, planes: Bitmap?) {
    let plan = try plan(data, resize)
    let reduction = try #require(plan.reduction)
    let outline = try JPEGOutline(data, limits: .default)
    let strips = Result {
      try ReducedJPEGDecoder.render(data, outline, header: outline.header, plan: plan, context: context)
    }
    let planes = Result {
      try ReducedJPEGDecoder.planes(
        of: data, outline, eighths: (reduction.luma, reduction.chroma), context: context
      ).map { try plan.rendered($0, header: outline.header, context: context) }
    }
    switch (strips, planes) {
    case (.success(let strips), .success(let planes)): return (strips, planes)
    case (.failure(let first as ImageDecodingError), .failure(let second as ImageDecodingError)):
      #expect(first == second)
      return (nil, nil)
    default:
      Issue.record("\(strips), but \(planes)")
      return (nil, nil)
    }
  }

  static let variants: [JPEGVariant] = [PixelSize(131, 77), PixelSize(33, 200), PixelSize(17, 9)].flatMap {
    size in
    ReducedJPEGTests.samplings.flatMap { sampling in
      [JPEGVariant(size, sampling: sampling), JPEGVariant(size, sampling: sampling, restartInterval: 3)]
    } + [JPEGVariant(size, isGray: true), JPEGVariant(size, isProgressive: true)]
  }

  @Test("gives the same picture as planes", arguments: variants)
  func pixels(variant: JPEGVariant) throws {
    let data = variant.data
    let size = variant.size
    var count = 0
    for (width, height) in [(1, 1), (3, 2), (5, 9), (9, 5), (16, 40), (65, 38), (31, 17)] {
      let resize = Resize(PixelSize(width, height), mode: .fill, allowsUpscaling: true)
      guard try plan(data, resize).reduction != nil else { continue }
      let made = try render(data, resize)
      #expect(made.strips == made.planes && made.strips != nil, "\(width) by \(height)")
      count += 1
    }
    #expect(count > 0, "\(size)")
  }

  @Test("grey where data are missing, or an error, as planes", arguments: [0.2, 0.5, 0.99])
  func truncation(share: Double) throws {
    for restartInterval in [0, 2] {
      let data = JPEGVariant(PixelSize(131, 277), restartInterval: restartInterval).data
      let part = data.prefix(600 + Int(Double(data.count - 600) * share))
      let resize = Resize(PixelSize(40, 85), mode: .fill)
      let made = try render(part, resize, DecodingContext(allowsTruncation: true))
      #expect(made.strips == made.planes && made.strips != nil)
      #expect(try render(part, resize).strips == nil)
    }
  }

  @Test("takes a fraction of the memory of whole planes")
  func memory() throws {
    let data = JPEGVariant(PixelSize(640, 3000)).data
    let plan = try plan(data, Resize(PixelSize(200, 938), mode: .fill))
    let reduction = try #require(plan.reduction)
    let outline = try JPEGOutline(data, limits: .default)
    let pool = PixelBufferPool(retainedByteLimit: 0)
    let result = try #require(
      try ReducedJPEGDecoder.render(
        data, outline, header: outline.header, plan: plan, context: DecodingContext(pool: pool)))
    let taken = pool.statistics.peakLentByteCount
    let whole = try #require(
      try ReducedJPEGDecoder.planes(
        of: data, outline, eighths: (reduction.luma, reduction.chroma), context: .init()))
    let planes = whole.planes.reduce(0) { $0 + 2 * $1.samples.count }
    #expect(taken - result.byteCount < planes / 3)
    #expect(taken <= plan.byteCount)
  }

  @Test("stops between strips when it is cancelled, and at the limit of time", arguments: [true, false])
  func checkpoints(isCancelled: Bool) throws {
    let data = JPEGVariant(PixelSize(640, 3000)).data
    let plan = try plan(data, Resize(PixelSize(200, 938), mode: .fill))
    let outline = try JPEGOutline(data, limits: .default)
    let calls = Mutex(0)
    func isOver() -> Bool {
      calls.withLock { calls in
        calls += 1
        return calls > 20
      }
    }
    let context = DecodingContext(
      isCancelled: { isCancelled && isOver() },
      threadTime: { !isCancelled && isOver() ? .seconds(10_000) : .zero })
    let error = #expect(throws: ImageDecodingError.self) {
      try ReducedJPEGDecoder.render(data, outline, header: outline.header, plan: plan, context: context)
    }
    #expect((error == .cancelled) == isCancelled)
    #expect(calls.withLock { $0 } < 30)
  }

  @Test("a second thread takes half of a large file", arguments: [8, 2])
  func division(part: Int) throws {
    let size = PixelSize(2000, 1500)
    let data = JPEGVariant(size, quality: 95).data
    let plan = try plan(data, Resize(PixelSize(size.width / part, size.height / part), mode: .fill))
    let outline = try JPEGOutline(data, limits: .default)
    let halves = Mutex(0)
    let assistant = DecodingAssistant { half in
      halves.withLock { $0 += 1 }
      half()
      return true
    }
    func render(_ assistant: DecodingAssistant?) throws -> Bitmap? {
      try ReducedJPEGDecoder.render(
        data, outline, header: outline.header, plan: plan, context: DecodingContext().assisted(by: assistant))
    }
    let result = try #require(try render(assistant))
    // For the scan, and for batches of strips.
    #expect(halves.withLock { $0 } >= 1)
    #expect(try render(nil) == result)
  }

  @Test(
    "gives the same picture from two threads, whatever part is shown", arguments: Assistance.allCases,
    [1, 0.6])
  func halves(assistance: Assistance, kept: Double) throws {
    for variant in ScanTailTests.variants {
      let whole = variant.data
      let data = whole.prefix(Int(Double(whole.count) * kept))
      let outline = try JPEGOutline(data, limits: .default)
      for (width, height, mode) in [
        (80, 60, ScaleMode.fill), (210, 140, .fill), (200, 40, .aspectFill), (40, 200, .aspectFill),
      ] {
        let plan = try plan(data, Resize(PixelSize(width, height), mode: mode))
        guard plan.reduction != nil else { continue }
        func render(_ assistant: DecodingAssistant?, _ share: Double = 0.5) throws -> Bitmap? {
          try ReducedJPEGDecoder.render(
            data, outline, header: outline.header, plan: plan,
            division: ScanDivision(smallestByteCount: 64, share: share, batchByteCount: 1),
            context: DecodingContext(
              pool: PixelBufferPool(retainedByteLimit: 0), allowsTruncation: kept < 1
            ).assisted(by: assistant))
        }
        let expected = try render(nil)
        for share in Cases.every(2, of: [0, 0.1, 0.37, 0.5, 0.8, 0.97]) {
          let made = try assistance.assist { assistant in try render(assistant, share) }
          #expect(made == expected && made != nil, "\(width) by \(height), the first \(share)")
        }
      }
    }
  }

  /// A picture of 30 rows of groups, which is made of squares of more than two samples.
  private func drawn(_ context: DecodingContext, batchByteCount: Int = 1) throws -> Bitmap? {
    let data = ScanTailTests.variants[0].data
    let outline = try JPEGOutline(data, limits: .default)
    return try ReducedJPEGDecoder.render(
      data, outline, header: outline.header, plan: plan(data, Resize(PixelSize(210, 140), mode: .fill)),
      division: ScanDivision(smallestByteCount: 64, share: 0.4, batchByteCount: batchByteCount),
      context: context)
  }

  @Test("a second thread makes strips ahead", arguments: [1, 1 << 20])
  func batches(byteCount: Int) throws {
    let begunCount = Mutex(0)
    let assistant = DecodingAssistant { work in
      begunCount.withLock { $0 += 1 }
      work()
      return true
    }
    let expected = try drawn(DecodingContext())
    let made = try drawn(DecodingContext().assisted(by: assistant), batchByteCount: byteCount)
    #expect(made == expected && made != nil)
    // The pieces of the scan, and two of the 30 rows at a time, or a third of them.
    let count = begunCount.withLock { $0 }
    #expect(byteCount == 1 ? count > 10 : count == 3)
  }

  @Test("gives back all memory when the decode is cancelled", arguments: Assistance.allCases)
  func cancelledBatches(assistance: Assistance) {
    for answer in 1...8 {
      let pool = PixelBufferPool(retainedByteLimit: 0)
      var questions = 0
      assistance.assist { assistant in
        let context = DecodingContext(
          pool: pool,
          isCancelled: {
            questions += 1
            return questions == answer
          }
        ).assisted(by: assistant)
        #expect(throws: ImageDecodingError.cancelled) { try drawn(context) }
        // A thread may hold its planes a little longer.
        if assistance != .beside { #expect(pool.statistics.lentByteCount == 0, "answer \(answer)") }
      }
    }
  }

  @Test("makes strips itself while no thread is free for them", arguments: [1, 2, 3, 5])
  func busyThreads(step: Int) throws {
    let askedCount = Mutex(0)
    let assistant = DecodingAssistant { work in
      let isFree = askedCount.withLock { count in
        defer { count += 1 }
        return count.isMultiple(of: step)
      }
      if isFree { work() }
      return isFree
    }
    let expected = try drawn(DecodingContext())
    #expect(try drawn(DecodingContext().assisted(by: assistant)) == expected)
    #expect(askedCount.withLock { $0 } > 5)
  }
}
