#if os(Linux)
  import CContentCodings

  /// Undoes the codings of one body, piece by piece.
  ///
  /// A step makes one window of output at most, whatever the input would become, so that a few bytes that stand for
  /// gigabytes cost no more memory than others; its caller decides between two steps whether it goes on. Each coding has a
  /// window of its own, and reads that of the coding outside it.
  ///
  /// Not Sendable on purpose: a transfer's thread alone uses it.
  final class ContentDecoder {
    enum Failure: Error {
      case corrupt(ContentCoding)
      case outOfMemory
      /// A coding made more bytes than the body may have; between two codings that counts too.
      case tooLarge
    }

    private let stages: [CodingStage]
    private let byteLimit: Int

    /// - Parameters:
    ///   - codings: in the order in which they were applied.
    ///   - byteLimit: the most bytes that any of them may make.
    /// - Throws: `outOfMemory`.
    init(_ codings: [ContentCoding], byteLimit: Int) throws(Failure) {
      self.byteLimit = byteLimit
      var stages: [CodingStage] = []
      for coding in codings.reversed() { stages.append(try CodingStage(coding)) }
      self.stages = stages
    }

    /// The coding that has not ended although the body has; nil when all of it has come.
    var unended: ContentCoding? {
      stages.last { !$0.isWhole }?.coding
    }

    /// Decodes on, until a window of output is there or the input is used up.
    ///
    /// - Parameter offset: how much of the input is used; moved on.
    /// - Returns: whether there is output, for `withOutput`. False means that more input is needed.
    func step(_ input: borrowing RawSpan, from offset: inout Int) throws(Failure) -> Bool {
      try fill(stages.count - 1, input, &offset)
    }

    /// Hands over the output of the last step, once.
    func withOutput<Value, E: Error>(_ body: (RawSpan) throws(E) -> Value) throws(E) -> Value {
      let stage = stages[stages.count - 1]
      defer { stage.dropOutput() }
      return try stage.withOutput(body)
    }

    // Puts output into the window of a stage. False when the input is used up before there is any.
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

  /// One coding on its way, with the window it writes to. The C object is its own and goes with it.
  private final class CodingStage {
    static let windowByteCount = 64 << 10

    let coding: ContentCoding
    /// How many bytes it has made.
    private(set) var madeByteCount = 0
    /// Whether it may make more bytes without further input.
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

    /// Decodes into the window, which is empty. Returns how many bytes of the input were used: all of them, unless there
    /// is output.
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
