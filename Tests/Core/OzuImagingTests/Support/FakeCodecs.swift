import Foundation
import OzuBase
import OzuImaging

/// A decoder whose files are any bytes with the right signature; header and picture are given.
final class FakeDecoder: ImageDecoding {
  let types: [ImageType]
  let scales: [Int]
  private let imageHeader: ImageHeader
  /// Makes the stored picture at the plan's size.
  private let picture: @Sendable (PixelSize) -> Bitmap
  private let plans = Mutex<[DecodePlan]>([])

  init(
    types: [ImageType] = [.png], scales: [Int] = [8], header: ImageHeader,
    picture: @escaping @Sendable (PixelSize) -> Bitmap = {
      .flat(.opaqueRed, size: $0)
    }
  ) {
    self.types = types
    self.scales = scales
    imageHeader = header
    self.picture = picture
  }

  /// The plans of the decodes so far.
  var decodes: [DecodePlan] { plans.withLock(\.self) }

  func open(_ data: Data, limits: DecodingLimits) throws(ImageDecodingError) -> any ImageFile {
    FakeFile(imageHeader, scales: scales) { [self] plan in
      plans.withLock { $0.append(plan) }
      return picture(plan.decodedSize)
    }
  }
}

/// A file whose header and picture are given.
final class FakeFile: ImageFile {
  let header: ImageHeader
  let scales: [Int]
  private let picture: @Sendable (DecodePlan) -> Bitmap

  init(_ header: ImageHeader, scales: [Int] = [8], picture: @escaping @Sendable (DecodePlan) -> Bitmap) {
    self.header = header
    self.scales = scales
    self.picture = picture
  }

  func decode(_ plan: DecodePlan, context: DecodingContext) throws(ImageDecodingError) -> Bitmap {
    picture(plan)
  }
}

/// An encoder that writes a given text.
struct FakeEncoder: ImageEncoding {
  var type: ImageType
  var text: String

  var keepsAlpha: Bool { true }

  func encode(_ bitmap: Bitmap, options: EncodingOptions) throws(ImageEncodingError) -> Data {
    Data(text.utf8)
  }
}

/// The first bytes of files.
enum Signature {
  static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
  static let jpeg = Data([0xFF, 0xD8, 0xFF, 0xE0])
}
