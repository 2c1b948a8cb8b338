#if SVG && os(Linux)
  import Dispatch
  import Foundation
  import Ozu
  import OzuCodecs
  import OzuLibraryCodecs

  /// Draws SVG in processes of their own, so that a drawing that crashes, hangs or swells costs one picture.
  ///
  /// Each question is one process: this program in its hidden mode (`SVGRenderer`), under limits that it sets itself
  /// before it reads the document. It waits on the thread that decodes, never on Swift's cooperative pool.
  struct SVGProcessDecoder: ImageDecoding {
    /// The most bytes of a reason that a process may give.
    static let reasonByteCount = 500

    /// The program that is started.
    private let program: String
    /// What goes before the arguments of the hidden mode; for tests, whose program is another one.
    private let arguments: [String]
    /// How long a process may take by the clock.
    private let deadline: Duration
    /// Bounds the processes that run at once.
    private let places = DispatchSemaphore(value: max(1, ProcessInfo.processInfo.activeProcessorCount))

    /// Makes a decoder that starts a program.
    ///
    /// - Parameter program: by default this one: a link of the system that leads to it even when its file was moved, and
    ///   never by `PATH`.
    init(program: String = "/proc/self/exe", arguments: [String] = [], deadline: Duration = .seconds(60)) {
      self.program = program
      self.arguments = arguments
      self.deadline = deadline
    }

    var types: [ImageType] { [.svg] }

    /// Opens a drawing: has a process read its size. Drawing is for another process, whose memory is limited by what its
    /// pixels take.
    func open(_ data: Data, limits: DecodingLimits) throws(DecodingError) -> any ImageFile {
      SVGProcessFile(data, self, header: try header(of: data, limits: limits))
    }

    private func header(of data: Data, limits: DecodingLimits) throws(DecodingError) -> ImageHeader {
      try taking(stage: "header") { () throws(SVGProcessFailure) in
        var process = try SVGProcess(
          program: program, arguments: arguments,
          limits: SVGProcessLimits(cpuTime: limits.cpuTime, deadline: deadline)
        ) { () throws(DecodingError) in }
        let head = try Self.ask(&process, SVGMessageHead(.readHeader, byteCount: data.count), data)
        guard head.kind == .header, head.byteCount == 0, !head.size.isEmpty else { throw .wrongAnswer }
        var header = ImageHeader(type: .svg, storedSize: head.size, hasAlpha: true)
        header.isDrawing = true
        return header
      }
    }

    /// Has a process draw a picture of the plan's size.
    func draw(
      _ data: Data, _ plan: DecodePlan, _ context: DecodingContext
    ) throws(DecodingError) -> Bitmap {
      let size = plan.decodedSize
      try context.limits.checkDecodedByteCount(plan.decodedByteCount)
      return try taking(stage: "image data") { () throws(SVGProcessFailure) in
        var process = try SVGProcess(
          program: program, arguments: arguments,
          limits: SVGProcessLimits(
            pixelByteCount: plan.decodedByteCount, cpuTime: context.limits.cpuTime, deadline: deadline)
        ) { () throws(DecodingError) in try context.checkpoint() }
        let head = try Self.ask(
          &process, SVGMessageHead(.draw, size: size, byteCount: data.count), data)
        let rowByteCount = size.width * PixelFormat.bgra8.bytesPerPixel
        guard head.kind == .pixels, head.size == size, head.byteCount == UInt64(rowByteCount * size.height)
        else {
          throw .wrongAnswer
        }
        return try Self.receive(from: &process, size, pool: context.pool)
      }
    }

    /// Does something with a process while there is a place for it.
    private func taking<Value>(
      stage: String, _ work: () throws(SVGProcessFailure) -> Value
    ) throws(DecodingError) -> Value {
      places.wait()
      defer { places.signal() }
      do throws(SVGProcessFailure) { return try work() } catch { throw error.error(stage: stage) }
    }

    /// Sends a question, and reads the head of the answer.
    private static func ask(
      _ process: inout SVGProcess, _ head: SVGMessageHead, _ data: Data
    ) throws(SVGProcessFailure) -> SVGMessageHead {
      try process.send(Data(head.bytes))
      try process.send(data)
      let answer = try receive(SVGMessageHead.byteCount, from: &process)
      guard let head = answer.withUnsafeBytes({ SVGMessageHead($0) }) else { throw .wrongAnswer }
      guard head.kind == .failure || head.kind == .unsupported else { return head }
      guard head.byteCount <= reasonByteCount else { throw .wrongAnswer }
      let words = printable(try receive(Int(head.byteCount), from: &process))
      if head.kind == .unsupported { throw .unsupported(words) }
      throw process.tellsOfMemory(words) ?? .refused(words)
    }

    private static func receive(
      _ count: Int, from process: inout SVGProcess
    ) throws(SVGProcessFailure) -> [UInt8] {
      var bytes = [UInt8](repeating: 0, count: count)
      var failure: SVGProcessFailure?
      bytes.withUnsafeMutableBytes { buffer in
        do throws(SVGProcessFailure) { try process.receive(buffer) } catch { failure = error }
      }
      if let failure { throw failure }
      return bytes
    }

    /// Reads pixels where they stay. No colour is brighter than its alpha afterwards, whatever came.
    private static func receive(
      from process: inout SVGProcess, _ size: PixelSize, pool: PixelBufferPool
    ) throws(SVGProcessFailure) -> Bitmap {
      try Bitmap(size: size, isOpaque: false, pool: pool) { (pixels, bytesPerRow) throws(SVGProcessFailure) in
        let rowByteCount = size.width * PixelFormat.bgra8.bytesPerPixel
        for y in 0..<size.height {
          let row = UnsafeMutableRawBufferPointer(
            rebasing: pixels[(y * bytesPerRow)..<(y * bytesPerRow + rowByteCount)])
          try process.receive(row)
          if let start = row.baseAddress { Premultiplication.clamp(start, width: size.width) }
        }
      }
    }

    /// One line of a stranger's words.
    private static func printable(_ bytes: [UInt8]) -> String {
      let words = String(decoding: bytes, as: UTF8.self).unicodeScalars.map { scalar in
        scalar.properties.generalCategory == .control ? " " : Character(scalar)
      }
      return String(words)
    }
  }

  /// A drawing whose size is known.
  private final class SVGProcessFile: ImageFile {
    let header: ImageHeader
    private let data: Data
    private let decoder: SVGProcessDecoder

    init(_ data: Data, _ decoder: SVGProcessDecoder, header: ImageHeader) {
      self.data = data
      self.decoder = decoder
      self.header = header
    }

    func decode(_ plan: DecodePlan, context: DecodingContext) throws(DecodingError) -> Bitmap {
      try decoder.draw(data, plan, context)
    }
  }
#endif
