#if os(Linux)
  import CContentCodings

  /// Decodes the codings of one body, piece by piece.
  ///
  /// A step produces at most one window of output, however much the input expands to. So a few bytes that stand for
  /// gigabytes cost no more memory than others. The caller decides between two steps whether to continue. Each
  /// coding has a window of its own, and reads the window of the coding outside it.
  ///
  /// Deliberately not Sendable: only the thread of the transfer uses it.
  final class ContentDecoder {
    enum Failure: Error {
      case corrupt(ContentCoding)
      case outOfMemory
      /// A coding produced more bytes than the body may have; this also counts between two codings.
      case tooLarge
    }

    private let stages: [CodingStage]
    private let byteLimit: Int

    /// - Parameters:
    ///   - codings: the codings in the order in which they were applied.
    ///   - byteLimit: the most bytes that each of them may produce.
    /// - Throws: `outOfMemory`.
    init(_ codings: [ContentCoding], byteLimit: Int) throws(Failure) {
      self.byteLimit = byteLimit
      var stages: [CodingStage] = []
      for coding in codings.reversed() { stages.append(try CodingStage(coding)) }
      self.stages = stages
    }

    /// The coding that is incomplete although the body has ended; nil if all codings are complete.
    var unended: ContentCoding? {
      stages.last { !$0.isWhole }?.coding
    }

    /// Decodes until a window of output is there or all input is used.
    ///
    /// - Parameter offset: the number of input bytes that were used; the step increases it.
    /// - Returns: whether there is output for `withOutput`. If false, more input is needed.
    func step(_ input: borrowing RawSpan, from offset: inout Int) throws(Failure) -> Bool {
      try fill(stages.count - 1, input, &offset)
    }

    /// Passes the output of the last step to `body`, once.
    func withOutput<Value, E: Error>(_ body: (RawSpan) throws(E) -> Value) throws(E) -> Value {
      let stage = stages[stages.count - 1]
      defer { stage.dropOutput() }
      return try stage.withOutput(body)
    }

    // Puts output into the window of a stage. Returns false if all input is used before there is any output.
    private func fill(_ place: Int, _ input: borrowing RawSpan, _ offset: inout Int) throws(Failure) -> Bool {
      let stage = stages[place]
      while true {
        let needsInput: Bool
        if place == 0 {
          let rest = input.extracting(offset..<input.byteCount)
          offset += try stage.run(rest)
          needsInput = true
        } else {
          let outer = stages[place - 1]
          if !outer.hasOutput, !stage.hasMore {
            guard try fill(place - 1, input, &offset) else { return false }
          }
          let used = try outer.withOutput { (output) throws(Failure) in try stage.run(output) }
          outer.dropOutput(used)
          needsInput = false
        }
        guard stage.madeByteCount <= byteLimit else { throw .tooLarge }
        if stage.hasOutput { return true }
        if needsInput, !stage.hasMore { return false }
      }
    }
  }

  /// One coding and the window that it writes to. It owns the C object and frees it.
  private final class CodingStage {
    static let windowByteCount = 64 << 10

    let coding: ContentCoding
    /// The number of bytes that it has produced.
    private(set) var madeByteCount = 0
    /// Whether it may produce more bytes without further input.
    private(set) var hasMore = false
    private let raw: OpaquePointer
    private var window = [UInt8](repeating: 0, count: windowByteCount)
    private var output = 0..<0

    init(_ coding: ContentCoding) throws(ContentDecoder.Failure) {
      let kind =
        switch coding {
        case .gzip: OzuCodingKindGzip
        case .deflate: OzuCodingKindDeflate
        case .brotli: OzuCodingKindBrotli
        case .zstd: OzuCodingKindZstd
        }
      guard let raw = ozu_coding_new(kind) else { throw .outOfMemory }
      self.coding = coding
      self.raw = raw
    }

    deinit {
      ozu_coding_free(raw)
    }

    var isWhole: Bool { ozu_coding_is_whole(raw) }

    var hasOutput: Bool { !output.isEmpty }

    func withOutput<Value, E: Error>(_ body: (RawSpan) throws(E) -> Value) throws(E) -> Value {
      let window = window
      return try body(window.span.bytes.extracting(output))
    }

    func dropOutput(_ count: Int? = nil) {
      output = output.dropFirst(count ?? output.count)
    }

    /// Decodes into the empty window. Returns the number of input bytes used: all of them, unless there is output.
    func run(_ input: RawSpan) throws(ContentDecoder.Failure) -> Int {
      var (used, written) = (0, 0)
      let status = input.withUnsafeBytes { input in
        window.withUnsafeMutableBytes { window in
          ozu_coding_step(
            raw, input.baseAddress?.assumingMemoryBound(to: UInt8.self), input.count, &used,
            window.baseAddress?.assumingMemoryBound(to: UInt8.self), window.count, &written)
        }
      }
      output = 0..<written
      madeByteCount += written
      hasMore = status == OzuCodingStatusFull
      if status == OzuCodingStatusCorrupt { throw .corrupt(coding) }
      if status == OzuCodingStatusNoMemory { throw .outOfMemory }
      return used
    }
  }
#endif
