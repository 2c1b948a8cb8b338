import Foundation
import Ozu

/// The cost of each processor per pixel of its result, and of the formats for renditions.
enum ProcessingBench {
  static let name = "processing"

  private static let size = PixelSize(width: 1024, height: 768)

  static func run(_ options: BenchOptions) throws -> BenchReport {
    let photo = try Photographs.load().first { $0.name.hasSuffix(".jpg") }
    guard let photo else { return BenchReport(benchmark: name) }
    let picture = try ImagePipeline.Configuration().decoding.codecs.picture(from: photo.data)
    let fill = Resize(size, mode: .aspectFill, crops: true, allowsUpscaling: true)
    let bitmap = picture.resized(fill).bitmap
    let round = try RoundedCorners(.circle).process(bitmap, context: ProcessingContext())
    var report = BenchReport(benchmark: name)
    report.rows += try processors(bitmap, round, options)
    let small = Resize(PixelSize(width: 320, height: 240), mode: .aspectFill, crops: true)
    for (name, source) in [("opaque-320x240", bitmap), ("alpha-320x240", round)] {
      report.rows += try renditions(name, Picture(source).resized(small).bitmap, options)
    }
    return report
  }

  private static func processors(
    _ bitmap: Bitmap, _ round: Bitmap, _ options: BenchOptions
  ) throws -> [BenchReport.Row] {
    let color = ColorValue(red: 255, green: 128, blue: 0, alpha: 128)
    let steps: [(String, any ImageProcessing, Bitmap)] = [
      ("resize-half", .resize(PixelSize(width: 512, height: 384), mode: .fill), bitmap),
      ("crop", .crop(.proportions(PixelSize(width: 1, height: 1), .center)), bitmap),
      ("crop-attention", .crop(.attention(PixelSize(width: 1, height: 1))), bitmap),
      ("pad", .pad(to: PixelSize(width: 1100, height: 800)), bitmap),
      ("trim", .trim(), round),
      ("quarter-turn", .turn(.right), bitmap),
      ("half-turn", .turn(.around), bitmap),
      ("rounded-corners", .roundedCorners(radius: 40), bitmap),
      ("circle-border", .circle(border: RoundedCorners.Border(width: 8, color: color)), bitmap),
      ("blur-2", .gaussianBlur(radius: 2), bitmap),
      ("blur-50", .gaussianBlur(radius: 50), bitmap),
      ("sharpen", .sharpen(), bitmap),
      ("tint", .tint(color), round),
      ("greyscale", .grayscale, bitmap),
      ("color", .color(brightness: 0.1, contrast: 1.2, saturation: 0.8), bitmap),
      ("watermark", .watermark(round, key: "round"), bitmap),
    ]
    let pool = PixelBufferPool(retainedByteLimit: 64 << 20)
    let context = ProcessingContext(pool: pool)
    let pixels = try steps.map { try Double($0.1.process($0.2, context: context).size.pixelCount) }
    let samples = try Rounds.cpuMilliseconds(
      steps.map { step in
        Rounds.Subject(name: step.0) { _ = try step.1.process(step.2, context: context) }
      }, rounds: options.rounds)
    return steps.indices.map { index in
      BenchReport.Row(
        name: steps[index].0, subject: "ozu", metric: "ns_per_output_pixel",
        samples: samples[index].map { $0 * 1e6 / pixels[index] })
    }
  }

  /// Writing and reading a finished picture, as the disk cache does, and the bytes it takes there.
  private static func renditions(
    _ name: String, _ bitmap: Bitmap, _ options: BenchOptions
  ) throws -> [BenchReport.Row] {
    let codecs = ImagePipeline.Configuration().decoding.codecs
    let types = [ImageType.ozuDelta, .png] + (bitmap.isOpaque ? [.jpeg] : [])
    let pool = PixelBufferPool(retainedByteLimit: 64 << 20)
    var rows: [BenchReport.Row] = []
    for type in types {
      let file = try codecs.encode(bitmap, as: type)
      func row(_ metric: String, _ samples: [Double]) -> BenchReport.Row {
        BenchReport.Row(
          name: "rendition-\(name)", subject: type == .ozuDelta ? "ozu" : "ozu \(type)", metric: metric,
          samples: samples)
      }
      rows.append(row("bytes", [Double(file.count)]))
      let samples = try Rounds.cpuMilliseconds(
        [
          Rounds.Subject(name: "write") { _ = try codecs.encode(bitmap, as: type) },
          Rounds.Subject(name: "read") {
            _ = try codecs.picture(from: file, context: DecodingContext(pool: pool))
          },
        ], rounds: options.rounds)
      rows.append(row("write_cpu_ms", samples[0]))
      rows.append(row("read_cpu_ms", samples[1]))
    }
    return rows
  }
}
