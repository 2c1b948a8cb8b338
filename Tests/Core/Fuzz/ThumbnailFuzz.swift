import CCodecs
import Foundation
import OzuImaging
import OzuStandardCodecs

/// Makes thumbnails of PNG and delta files. Their checksums are repaired first: otherwise hardly a mutation would
/// get past them.
///
/// Every file gives an error or a picture of the right size. The result of `PNGRowReader` is compared with that of
/// libpng, which is used if truncated files are allowed. There is one exception: zlib refuses a Huffman code that
/// leaves bit patterns undefined, even if the data do not use them, and ISA-L accepts it. Its result for such data
/// is the picture that their checksum belongs to.
func fuzzThumbnails(of input: Data, type: ImageType) {
  let file = type == .png ? mendingChunks(of: input) : mendingHeader(of: input)
  let limits = DecodingLimits(
    pixelCount: 1 << 20, decodedByteCount: 64 << 20, frameCount: 8, cpuTime: .seconds(20))
  func picture(_ resize: Resize?, allowsTruncation: Bool = false) -> Picture? {
    let context = DecodingContext(limits: limits, allowsTruncation: allowsTruncation)
    return try? CodecRegistry.standard.picture(from: file, resize: resize, context: context)
  }
  let whole = picture(nil)
  let cut = picture(nil, allowsTruncation: true)
  if let whole {
    precondition(
      whole.bitmap == cut?.bitmap || isRefusedByZlib(imageData(of: file)), "pixels differ from libpng's")
  }
  for side in [1, 20, 300] {
    guard let small = picture(Resize(PixelSize(side, side), mode: .fill)) else { continue }
    precondition(small.size.width <= side && small.size.height <= side, "a picture of the wrong size")
    precondition(whole != nil, "a thumbnail of what is no picture")
  }
}

/// The contents of the IDAT chunks up to the first damaged one.
private func imageData(of file: Data) -> [UInt8] {
  let bytes = [UInt8](file)
  var (position, result) = (8, [UInt8]())
  while position + 12 <= bytes.count {
    let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= bytes.count - position - 12 else { break }
    if bytes[position + 4..<position + 8].elementsEqual("IDAT".utf8) {
      result += bytes[position + 8..<position + 8 + length]
    }
    position += length + 12
  }
  return result
}

private func isRefusedByZlib(_ stream: [UInt8]) -> Bool {
  var capacity = 1 << 16
  while capacity <= 64 << 20 {
    var status = OzuStatus.failed
    _ = [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
      status = ozu_inflate(stream, stream.count, buffer.baseAddress, capacity, &count)
    }
    guard status == .more else { return status == .failed }
    capacity *= 4
  }
  return false
}

private func mendingChunks(of input: Data) -> Data {
  var bytes = [UInt8](input)
  var position = 8
  while position + 12 <= bytes.count {
    let length = bytes[position..<position + 4].reduce(0) { $0 << 8 | Int($1) }
    guard length <= bytes.count - position - 12 else { break }
    let end = position + 8 + length
    let sum = checksum(bytes[position + 4..<end])
    for byte in 0..<4 { bytes[end + byte] = UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt32(byte))) }
    position = end + 4
  }
  return Data(bytes)
}

private func mendingHeader(of input: Data) -> Data {
  var bytes = [UInt8](input)
  guard bytes.count > 18 else { return input }
  let sum = checksum(bytes[..<14])
  for byte in 0..<4 { bytes[14 + byte] = UInt8(truncatingIfNeeded: sum >> (8 * UInt32(byte))) }
  return Data(bytes)
}

/// CRC-32 as in PNG.
private func checksum(_ bytes: ArraySlice<UInt8>) -> UInt32 {
  ~bytes.reduce(UInt32.max) { sum, byte in
    var sum = sum ^ UInt32(byte)
    for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    return sum
  }
}
