import Foundation
import Ozu

/// From an encoded photograph in memory to a thumbnail's pixels: decode and resize, nothing else.
///
/// Without a corpus or peers, the demo's photographs as they are. The yardstick says what the machine does
/// without Ozu's plan: the same decoder and resampler, but on the whole picture. Every result is also compared
/// with `LanczosReference`, before the rounds.
enum ThumbnailBench {
  static let name = "thumbnail"

  static func run(_ options: BenchOptions) throws -> BenchReport {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let cases =
      try options.corpus.map { try ThumbnailCase.corpus($0, sizes: options.sizes) }
      ?? ThumbnailCase.bundled(in: folder)
    let peers = try options.peers.map { try PeerProcess(script: $0) }
    var report = BenchReport(benchmark: name)
    for thumbnail in cases {
      report.rows += try rows(thumbnail, peers: peers, options, folder: folder)
    }
    return report
  }

  private static func rows(
    _ thumbnail: ThumbnailCase, peers: PeerProcess?, _ options: BenchOptions, folder: URL
  ) throws -> [BenchReport.Row] {
    let codecs = ImagePipeline.Configuration().codecs
    var fast = thumbnail.resize
    fast.quality = .fast
    let own: [(name: String, pool: PixelBufferPool, work: (PixelBufferPool) throws -> Bitmap)] = [
      (
        "ozu", PixelBufferPool(retainedByteLimit: 64 << 20),
        {
          try codecs.picture(
            from: thumbnail.data, resize: thumbnail.resize, context: DecodingContext(pool: $0)
          ).bitmap
        }
      ),
      (
        "ozu fast", PixelBufferPool(retainedByteLimit: 64 << 20),
        { try codecs.picture(from: thumbnail.data, resize: fast, context: DecodingContext(pool: $0)).bitmap }
      ),
      (
        "yardstick:whole-decode-then-resize", PixelBufferPool(retainedByteLimit: 64 << 20),
        {
          let whole = try codecs.picture(from: thumbnail.data, context: DecodingContext(pool: $0))
          return whole.resized(thumbnail.resize, pool: $0).bitmap
        }
      ),
    ]
    let whole = try codecs.picture(from: thumbnail.data)
    let judge = Judge(
      reference: LanczosReference(whole.bitmap, size: thumbnail.size), peers: peers, folder: folder)
    var rows: [BenchReport.Row] = []
    for subject in own {
      let bitmap = try subject.work(subject.pool)
      rows.append(
        BenchReport.Row(
          name: thumbnail.name, subject: subject.name, metric: "cpu_ms", samples: [],
          quality: try judge.quality(of: LanczosReference.bytes(of: bitmap)),
          peakByteCount: subject.pool.statistics.peakLentByteCount))
    }
    let peerNames = peers?.subjects ?? []
    for (index, peer) in peerNames.enumerated() {
      let pixels = folder.appending(path: "peer.rgb")
      guard try peers?.run(index, thumbnail, pixels: pixels) != nil else { continue }
      rows.append(
        BenchReport.Row(
          name: thumbnail.name, subject: peer, metric: "cpu_ms", samples: [],
          quality: try judge.quality(of: Data(contentsOf: pixels))))
    }
    for _ in 0..<options.rounds {
      for index in rows.indices {
        if index < own.count {
          rows[index].samples.append(
            try Rounds.cpuMilliseconds { _ = try own[index].work(own[index].pool) })
        } else if let peer = peerNames.firstIndex(of: rows[index].subject),
          let time = try peers?.run(peer, thumbnail)
        {
          rows[index].samples.append(time)
        }
      }
    }
    return rows
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
