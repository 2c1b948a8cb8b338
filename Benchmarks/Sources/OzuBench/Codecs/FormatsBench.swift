import Foundation
import Ozu
import OzuTesting

/// The cost of each format: reading a whole picture, reading it while it arrives, writing it.
///
/// Without a corpus, a photograph and drawn pictures of two megapixels in every format that can be written; with one, its files. Figures
/// are for each megapixel, in the processor time of the whole process, because some libraries have threads of their own.
/// Memory is the rise of what the process has resident while it reads, pixels included, after what libraries have freed
/// before was given back to the system.
///
/// Other libraries read the same files, whole, in a process of their own.
///
/// With `--isolated`, C libraries also read in processes of their own, in turn with this one; the processor time is that of
/// all processes then.
enum FormatsBench {
  static let name = "formats"
  private static let rawPreview = "raw preview"

  /// A file that is read, and the picture in it.
  private struct Case {
    let name: String
    let type: ImageType
    let data: Data
    let megapixels: Double
  }

  static func run(_ options: BenchOptions) throws -> BenchReport {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    let cases = try options.corpus.map { try corpus($0, codecs) } ?? bundled(codecs)
    var report = BenchReport(benchmark: name)
    let peers = try PeerProcess.start(options.peers)
    for file in cases where options.wants(file.name) {
      report.rows += try rows(file, codecs, options, peers: peers)
    }
    if options.wants(rawPreview) { report.rows += try rawPreviews(codecs, rounds: options.rounds) }
    report.rows += placeholders(rounds: options.rounds)
    return report
  }

  private static func rows(
    _ file: Case, _ codecs: CodecRegistry, _ options: BenchOptions, peers: PeerProcess?
  ) throws -> [BenchReport.Row] {
    let pool = PixelBufferPool(retainedByteLimit: 0)
    func read() throws -> Picture {
      try codecs.picture(from: file.data, context: DecodingContext(pool: pool))
    }
    // Twice: what is made once and kept, such as tables of a library, is no memory of the picture.
    let picture = try read()
    let peak = try PeakMemory.measureTrimmed { _ = try read() }
    var work = [Work(metric: "read_cpu_ms_per_mp", peakByteCount: peak) { _ = try read() }]
    #if os(Linux)
      if options.isolated, DecoderIsolation.libraryTypes.contains(file.type) {
        let apart = CodecRegistry.isolatedForBench(domain: "formats")
        work.append(
          Work(subject: "ozu, isolated", metric: "read_cpu_ms_per_mp") {
            _ = try apart.picture(from: file.data, context: DecodingContext(pool: pool))
          })
        // Starts the process, and has it take its memory.
        try work[1].run()
      }
    #endif
    if try hasPreviews(file, codecs) {
      work.append(
        Work(metric: "read_with_10_previews_cpu_ms_per_mp") { _ = try previews(file, codecs, pool) })
    }
    if codecs.encodableTypes.contains(file.type) {
      work.append(
        Work(metric: "write_cpu_ms_per_mp") { _ = try codecs.encode(picture.bitmap, as: file.type) })
    }
    let copy = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID()).\(file.type)")
    try file.data.write(to: copy)
    defer { try? FileManager.default.removeItem(at: copy) }
    for (index, subject) in (peers?.subjects ?? []).enumerated() {
      guard try peers?.run(index, nil, copy) != nil else { continue }
      work.append(
        Work(
          subject: subject, metric: "read_cpu_ms_per_mp", peakByteCount: try peers?.peak(index, nil, copy),
          peer: { try peers?.run(index, nil, copy) ?? .nan }))
    }
    var samples = [[Double]](repeating: [], count: work.count)
    for _ in 0..<options.rounds {
      for index in work.indices {
        samples[index].append(try work[index].cpuMilliseconds() / file.megapixels)
      }
    }
    return zip(work, samples).map { work, samples in
      BenchReport.Row(
        name: file.name, subject: work.subject, metric: work.metric, samples: samples,
        peakByteCount: work.peakByteCount)
    }
  }

  /// Something that is measured.
  private struct Work {
    var subject = "ozu"
    let metric: String
    var peakByteCount: Int?
    var run: () throws -> Void = {}
    /// For another library, in the place of `run`: the milliseconds that it took.
    var peer: (() throws -> Double)?

    /// Of this process and of those that it has started.
    func cpuMilliseconds() throws -> Double {
      if let peer { return try peer() }
      #if os(Linux)
        let start = ProcessTreeTime.now()
        try run()
        let time = ProcessTreeTime.now().since(start)
        return (time.own + time.children) / 1000
      #else
        let start = ProcessTime.now
        try run()
        return (ProcessTime.now - start).milliseconds
      #endif
    }
  }

  /// The preview of a camera RAW, whole and as a thumbnail, in turn with the bare JPEG that it is.
  private static func rawPreviews(_ codecs: CodecRegistry, rounds: Int) throws -> [BenchReport.Row] {
    guard let photo = try Photographs.load().first(where: { $0.name == "tea-gardens.jpg" }) else { return [] }
    let file = PreviewDNG.file(photo.data, try codecs.header(of: photo.data).size)
    let thumbnail = Resize(PixelSize(width: 320, height: 240))
    let cases: [(metric: String, resize: Resize?)] = [("read_cpu_ms", nil), ("thumbnail_cpu_ms", thumbnail)]
    return try cases.flatMap { metric, resize in
      let subjects = [("ozu", file), ("yardstick:bare JPEG", photo.data)].map { name, data in
        Rounds.Subject(name: name) { _ = try codecs.picture(from: data, resize: resize) }
      }
      return zip(subjects, try Rounds.cpuMilliseconds(subjects, rounds: rounds)).map { subject, samples in
        BenchReport.Row(
          name: rawPreview, subject: subject.name, metric: metric, samples: samples, digits: 3)
      }
    }
  }

  /// A picture of 32 by 32 pixels from a hash, text included.
  private static func placeholders(rounds: Int) -> [BenchReport.Row] {
    let work: [(name: String, run: () -> Picture?)] = [
      ("blurhash 4x3", { BlurHash("LlMF%n00%#MwS|WCWEM{R*bbWBbH").map { Picture(placeholder: $0) } }),
      ("thumbhash", { ThumbHash(base64: "k0oGLQaSVsN0BVhn2oq2Z5SQUQcZ").map { Picture(placeholder: $0) } }),
    ]
    return work.map { name, run in
      _ = run()
      return BenchReport.Row(
        name: name, subject: "ozu", metric: "draw_cpu_ms",
        samples: (0..<rounds).map { _ in Rounds.cpuMilliseconds { _ = run() } }, digits: 3)
    }
  }

  private static func hasPreviews(_ file: Case, _ codecs: CodecRegistry) throws -> Bool {
    let decoder = IncrementalDecoder(codecs: codecs)
    decoder.append(file.data)
    return try decoder.preview() != nil
  }

  /// Gives the file in ten pieces and asks for a preview after each; the last of them is the whole picture.
  private static func previews(_ file: Case, _ codecs: CodecRegistry, _ pool: PixelBufferPool) throws -> Int {
    let decoder = IncrementalDecoder(codecs: codecs)
    let step = (file.data.count + 9) / 10
    var count = 0
    for start in stride(from: 0, to: file.data.count, by: step) {
      decoder.append(file.data[start..<min(start + step, file.data.count)])
      if try decoder.preview(context: DecodingContext(pool: pool)) != nil { count += 1 }
    }
    return count
  }

  /// A photograph, and drawn pictures of its size, in every format that can be written.
  private static func bundled(_ codecs: CodecRegistry) throws -> [Case] {
    guard let photo = try Photographs.load().first(where: { $0.name == "tea-gardens.jpg" }) else { return [] }
    let photograph = try codecs.picture(
      from: photo.data, resize: Resize(PixelSize(width: 1732, height: 1155))
    ).bitmap
    let drawn = DrawnPicture.allCases.map { ("/\($0.rawValue)", $0.bitmap(photograph.size)) }
    return try ([("", photograph)] + drawn).flatMap { name, bitmap in
      try codecs.encodableTypes.map { type in
        Case(
          name: type.rawValue + name, type: type, data: try codecs.encode(bitmap, as: type),
          megapixels: Double(bitmap.size.pixelCount) / 1e6)
      }
    }
  }

  /// The pictures of a folder that can be read.
  private static func corpus(_ folder: URL, _ codecs: CodecRegistry) throws -> [Case] {
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    return try files.sorted { $0.lastPathComponent < $1.lastPathComponent }.compactMap { url in
      let data = try Data(contentsOf: url)
      guard let header = try? codecs.header(of: data), (try? codecs.picture(from: data)) != nil else {
        return nil
      }
      return Case(
        name: url.lastPathComponent, type: header.type, data: data,
        megapixels: Double(header.size.pixelCount) / 1e6)
    }
  }
}
