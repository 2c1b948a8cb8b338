import Foundation
import OzuCodecs
import OzuImaging
import OzuStandardCodecs

/// A file of the `Fixtures` folder.
func fixture(_ path: String) throws -> Data {
  let folder = Bundle.module.bundleURL.appendingPathComponent("Fixtures", isDirectory: true)
  return try Data(contentsOf: folder.appendingPathComponent(path))
}

/// The upright picture of a fixture through the standard codecs.
func picture(_ path: String, resize: Resize? = nil) throws -> Picture {
  try CodecRegistry.standard.picture(from: fixture(path), resize: resize)
}

/// All files of a folder of fixtures, in order.
func fixtures(in folder: String) -> [String] {
  let url = Bundle.module.bundleURL.appendingPathComponent("Fixtures/\(folder)", isDirectory: true)
  let names = (try? FileManager.default.contentsOfDirectory(atPath: url.path)) ?? []
  return names.sorted().map { "\(folder)/\($0)" }.filter { $0.contains(".") }
}

/// Whether this build reads the format of a file of this name.
func isDecodable(_ path: String) -> Bool {
  let types: [String: ImageType] = [
    "webp": .webp, "avif": .avif, "heic": .heic, "jxl": .jxl, "tif": .tiff, "svg": .svg,
  ]
  guard let type = types[String(path.split(separator: ".").last ?? "")] else { return true }
  return CodecRegistry.standard.decodableTypes.contains(type)
}

/// A JPEG that contains its last scan `count` more times.
func multiplyingLastScan(of jpeg: Data, by count: Int) throws -> Data {
  let marker = Data([0xFF, 0xDA])
  guard let start = jpeg.range(of: marker, options: .backwards)?.lowerBound else { return jpeg }
  let scan = jpeg[start..<jpeg.count - 2]
  return jpeg[..<start] + Data(repeatElement(scan, count: count + 1).joined()) + jpeg.suffix(2)
}
