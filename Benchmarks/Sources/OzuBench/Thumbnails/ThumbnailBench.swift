import Foundation
import Ozu
import OzuTesting

/// From an encoded photograph in memory to a thumbnail's pixels: decode and resize, nothing else.
///
/// Without a corpus, the demo's photographs and drawn pictures. The yardstick says what the machine does
/// without Ozu's plan: the same decoder and resampler, but on the whole picture. Every result is also compared
/// with `LanczosReference`, before the rounds.
enum ThumbnailBench {
  static let name = "thumbnail"

  static func run(_ options: BenchOptions) throws -> BenchReport {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let peers = try PeerProcess.start(options.peers)
    let wants: (String) -> Bool = { options.wants($0) && (!options.isSmoke || $0.hasPrefix("12mp-420-320")) }
    let cases =
      try options.corpus.map { try ThumbnailCase.corpus($0, sizes: options.sizes).filter { wants($0.name) } }
      ?? ThumbnailCase.bundled(in: folder, peers: peers, wants: wants)
    var report = BenchReport(benchmark: name)
    for thumbnail in cases {
      report.rows += try rows(thumbnail, peers: peers, options, folder: folder)
    }
    return report
  }

  /// The figures of every subject for a thumbnail.
  static func rows(
    _ thumbnail: ThumbnailCase, peers: PeerProcess?, _ options: BenchOptions, folder: URL
  ) throws -> [BenchReport.Row] {
    let own = subjects(of: thumbnail)
    let judge = try judge(of: thumbnail, peers: peers, folder: folder)
    var rows: [BenchReport.Row] = []
    for subject in own {
      // Twice: what is made once and kept, such as filters, is no memory of the thumbnail.
      let bitmap = try subject.work(subject.pool)
      let peak = try PeakMemory.measureTrimmed {
        _ = try subject.work(PixelBufferPool(retainedByteLimit: 0))
      }
      rows.append(
        BenchReport.Row(
          name: thumbnail.name, subject: subject.name, metric: "cpu_ms", samples: [],
          quality: try judge?.quality(of: LanczosReference.bytes(of: bitmap)), peakByteCount: peak))
    }
    let peerNames = peers?.subjects ?? []
    for (index, peer) in peerNames.enumerated() {
      let pixels = judge.map { _ in folder.appending(path: "peer.rgb") }
      guard try peers?.run(index, thumbnail.size, thumbnail.file, pixels: pixels) != nil else { continue }
      rows.append(
        BenchReport.Row(
          name: thumbnail.name, subject: peer, metric: "cpu_ms", samples: [],
          quality: try pixels.flatMap { try judge?.quality(of: Data(contentsOf: $0)) },
          peakByteCount: try peers?.peak(index, thumbnail.size, thumbnail.file)))
    }
    for _ in 0..<options.rounds {
      for index in rows.indices {
        if index < own.count {
          rows[index].samples.append(
            try Rounds.cpuMilliseconds { _ = try own[index].work(own[index].pool) })
        } else if let peer = peerNames.firstIndex(of: rows[index].subject),
          let time = try peers?.run(peer, thumbnail.size, thumbnail.file)
        {
          rows[index].samples.append(time)
        }
      }
    }
    return rows
  }
}

extension ThumbnailBench {
  private struct Subject {
    let name: String
    /// Keeps its memory between rounds, as an app's does.
    let pool = PixelBufferPool(retainedByteLimit: 64 << 20)
    let work: (PixelBufferPool) throws -> Bitmap
  }

  private static func subjects(of thumbnail: ThumbnailCase) -> [Subject] {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    var fast = thumbnail.resize
    fast?.quality = .fast
    // A TIFF of 100 megapixels has 300 MB.
    let limits = DecodingLimits(encodedByteCount: 1 << 30)
    func context(_ pool: PixelBufferPool) -> DecodingContext { DecodingContext(limits: limits, pool: pool) }
    func subject(_ name: String, _ resize: Resize?) -> Subject {
      Subject(name: name) {
        try codecs.picture(from: thumbnail.data, resize: resize, context: context($0)).bitmap
      }
    }
    var subjects = [subject("ozu", thumbnail.resize)]
    if thumbnail.isJPEG, fast != nil { subjects.append(subject("ozu fast", fast)) }
    guard thumbnail.isCompared, let resize = thumbnail.resize else { return subjects }
    subjects.append(
      Subject(name: "yardstick:whole-decode-then-resize") {
        let whole = try codecs.picture(from: thumbnail.data, context: context($0))
        return whole.resized(resize, pool: $0).bitmap
      })
    return subjects
  }

  private static func judge(
    of thumbnail: ThumbnailCase, peers: PeerProcess?, folder: URL
  ) throws -> Judge? {
    guard thumbnail.isCompared, let size = thumbnail.size else { return nil }
    let whole = try ImagePipeline.Configuration().decoding.codecs.picture(from: thumbnail.data)
    return Judge(
      reference: LanczosReference(whole.bitmap, size: size), peers: peers, folder: folder)
  }
}

/// Compares results with a reference.
private struct Judge {
  let reference: LanczosReference
  let peers: PeerProcess?
  let folder: URL

  func quality(of bytes: Data) throws -> BenchReport.Quality {
    var quality = BenchReport.Quality(psnr: reference.signalToNoise(of: bytes))
    if let peers {
      let files = (folder.appending(path: "reference.rgb"), folder.appending(path: "result.rgb"))
      try reference.bytes.write(to: files.0)
      try bytes.write(to: files.1)
      quality.ssimulacra2 = try peers.score(reference.size, files.0, files.1)
    }
    return quality
  }
}
