import Foundation
import Ozu

/// When pictures were taken, as far as their files were asked.
struct CaptureDates: Sendable {
  /// The answer of a file as it was then; `nil` if it says nothing.
  private var dates: [URL: (stamp: PictureStamp, seconds: Double?)] = [:]

  /// How many files are asked at the same time.
  private static let width = 4

  /// Writes into items what is known of their files.
  ///
  /// - Returns: the items whose files have not been asked since they were last written.
  func fill(_ items: inout [PictureItem]) -> [PictureItem] {
    var unknown: [PictureItem] = []
    for index in items.indices {
      guard let file = items[index].file, let stamp = items[index].stamp else { continue }
      if let known = dates[file], known.stamp == stamp {
        items[index].captured = known.seconds
      } else {
        unknown.append(items[index])
      }
    }
    return unknown
  }

  /// Adds what others know.
  mutating func merge(_ other: CaptureDates) { dates.merge(other.dates) { $1 } }

  /// Asks the files of items: the header of each is read, and no pixel.
  @concurrent
  static func read(_ items: [PictureItem], _ pipeline: ImagePipeline) async -> CaptureDates {
    var result = CaptureDates()
    await withTaskGroup(of: (URL, PictureStamp, Double?)?.self) { group in
      for (index, item) in items.enumerated() {
        if index >= width, let answer = await group.next() ?? nil { result.add(answer) }
        group.addTask(priority: .utility) {
          guard let file = item.file, let stamp = item.stamp, !Task.isCancelled else { return nil }
          var request = ImageRequest(item.source)
          request.priority = .low
          let text = try? await pipeline.header(for: request).metadata?.captureDate
          return (file, stamp, text.flatMap(seconds))
        }
      }
      for await answer in group { if let answer { result.add(answer) } }
    }
    return result
  }

  private mutating func add(_ answer: (URL, PictureStamp, Double?)) {
    dates[answer.0] = (answer.1, answer.2)
  }

  /// The seconds since 1970 of a date of EXIF, which is by the clock of the camera: the zone of this machine is taken for its own.
  private static func seconds(_ text: String) -> Double? {
    guard let date = MetadataDate(text), let month = date.month, let day = date.day else { return nil }
    let parts = DateComponents(
      year: date.year, month: month, day: day, hour: date.hour, minute: date.minute, second: date.second)
    return Calendar(identifier: .gregorian).date(from: parts)?.timeIntervalSince1970
  }
}
