import Foundation
import Ozu
import OzuTesting

/// The whole way of a gallery: a thousand photographs of 12 megapixels from files to 320 × 240 pixels in memory, by a
/// pipeline without a disk cache; beside programs of other libraries that read and reduce one file after the other.
///
/// There are 40 different files (parts of the bundled photographs), which lie in the page cache. The figure is the processor
/// time of the whole process for one photograph.
enum FolderBench {
  static let name = "folder"
  private static let size = PixelSize(width: 320, height: 240)

  static func run(_ options: BenchOptions) throws -> BenchReport {
    let folder = FileManager.default.temporaryDirectory.appending(path: "ozu-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let peers = try PeerProcess.start(options.peers)
    let files = try files(options.isSmoke ? 2 : 1000, different: options.isSmoke ? 1 : 40, in: folder)
    let name = "\(files.count)-photographs-12mp-\(size)"
    var rows = [BenchReport.Row(name: name, subject: "ozu", metric: "cpu_ms_per_image", samples: [])]
    rows += (peers?.subjects ?? []).map {
      BenchReport.Row(name: name, subject: $0, metric: "cpu_ms_per_image", samples: [])
    }
    let peak = try BlockingWork.wait { try await PeakMemory.measure { _ = try await load(files) }.byteCount }
    rows[0].peakByteCount = peak
    // A round is a thousand photographs.
    for _ in 0..<min(options.rounds, 3) {
      rows[0].samples.append(try BlockingWork.wait { try await load(files) } / Double(files.count))
      for index in rows.indices.dropFirst() {
        guard let time = try peers?.runAll(index - 1, size, files) else { continue }
        rows[index].samples.append(time / Double(files.count))
      }
    }
    var report = BenchReport(benchmark: self.name)
    report.rows = rows.filter { !$0.samples.isEmpty }
    return report
  }

  /// Milliseconds until every picture is in memory.
  private static func load(_ files: [URL]) async throws -> Double {
    let pipeline = ImagePipeline {
      $0.caching.diskStorage = .none
      $0.caching.memoryCache.costLimit = 1 << 30
    }
    let resize = Resize(size, mode: .fill)
    let start = ProcessTime.now
    let tasks = files.map { pipeline.task(for: ImageRequest(url: $0, resize: resize)) }
    for task in tasks { _ = try await task.image }
    return (ProcessTime.now - start).milliseconds
  }

  /// Names of files, many of which are links to the same few.
  private static func files(_ count: Int, different: Int, in folder: URL) throws -> [URL] {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    let photos = try Photographs.load().filter { $0.name.hasSuffix(".jpg") }
    let originals = try (0..<different).map { number in
      let picture = try codecs.picture(from: photos[number % photos.count].data)
      // Later parts are smaller, and so are their details.
      let share = 1 - 0.04 * Double(number / photos.count)
      let part = PixelSize(
        width: Int(Double(picture.size.width) * share), height: Int(Double(picture.size.height) * share))
      let bitmap = picture.bitmap
      let cut = Bitmap(size: part) { x, y in bitmap[x, y] }
      let fill = Resize(
        PixelSize(width: 4000, height: 3000), mode: .aspectFill, crops: true, allowsUpscaling: true)
      let file = folder.appending(path: "original-\(number).jpg")
      let options = EncodingOptions(compressionQuality: 0.89)
      try codecs.encode(Picture(cut).resized(fill).bitmap, as: .jpeg, options: options).write(to: file)
      return file
    }
    return try (0..<count).map { number in
      let file = folder.appending(path: "\(number).jpg")
      try FileManager.default.linkItem(at: originals[number % different], to: file)
      return file
    }
  }
}
