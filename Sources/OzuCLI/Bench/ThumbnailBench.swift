import Foundation
import Ozu

/// From an encoded photograph in memory to a thumbnail's pixels: decode and resize, nothing else.
///
/// The yardsticks say what the machine does without Ozu's plan: the same decoder and resampler, but on the whole
/// picture.
enum ThumbnailBench {
  static let name = "thumbnail"

  static func run(_ options: BenchOptions) throws -> BenchReport {
    var report = BenchReport(benchmark: name)
    let codecs = ImagePipeline.Configuration().codecs
    let resize = Demonstration.resize
    for photo in try DemoPhotos.load() {
      let pools = [
        PixelBufferPool(retainedByteLimit: 64 << 20), PixelBufferPool(retainedByteLimit: 64 << 20),
      ]
      let subjects = [
        Rounds.Subject(name: "ozu") {
          _ = try codecs.picture(from: photo.data, resize: resize, context: DecodingContext(pool: pools[0]))
        },
        Rounds.Subject(name: "yardstick:whole-decode-then-resize") {
          let whole = try codecs.picture(from: photo.data, context: DecodingContext(pool: pools[1]))
          _ = whole.resized(resize, pool: pools[1])
        },
      ]
      let samples = try Rounds.cpuMilliseconds(subjects, rounds: options.rounds)
      for (index, subject) in subjects.enumerated() {
        report.rows.append(
          BenchReport.Row(
            name: "\(photo.name)-\(resize.size)", subject: subject.name, metric: "cpu_ms",
            samples: samples[index], peakByteCount: pools[index].statistics.peakLentByteCount))
      }
    }
    return report
  }
}
