// The fixed cases whose instructions `make bench-instructions` counts: `OzuInstructions CASE REPETITIONS`, in the
// checkout. Work that is done once, such as starting and loading files, is the same for any number of repetitions, so
// the difference of two runs is the work of the case.

import Foundation
import OzuImaging
import OzuStandardCodecs

let photo = "Sources/Apps/OzuCLI/Resources/Photos/canyon-wren.jpg"
let graphic = "Sources/Apps/OzuCLI/Resources/Photos/canyon-wren-480.png"

func file(_ path: String) throws -> Data { try Data(contentsOf: URL(fileURLWithPath: path)) }

func thumbnail(
  _ path: String, _ width: Int, _ height: Int, light: ResamplingLight = .asStored
) throws -> () throws -> Void {
  let data = try file(path)
  let resize = Resize(PixelSize(width: width, height: height), mode: .fill, light: light)
  let limits = DecodingLimits(cpuTime: .seconds(10_000))
  return {
    let context = DecodingContext(limits: limits)
    _ = try CodecRegistry.standard.picture(from: data, resize: resize, context: context)
  }
}

/// A photograph in 16 bits under PQ and BT.2020.
func bright(_ size: PixelSize) throws -> Bitmap {
  let context = DecodingContext(limits: DecodingLimits(cpuTime: .seconds(10_000)))
  let wide = try CodecRegistry.standard.picture(from: try file(photo), context: context).bitmap
    .converted(to: .rgba16)
  return Picture(wide).resized(Resize(size, mode: .fill)).bitmap.withColorSpace(
    .coded(primaries: 9, transfer: 16))
}

let cases: [String: () throws -> () throws -> Void] = [
  // The reduced decoder and the resampler of planes.
  "jpeg-reduced": { try thumbnail(photo, 320, 180) },
  // The reduced decoder in its large squares (`SquareTransform`), and the resampler of planes.
  "jpeg-planes": { try thumbnail(photo, 1280, 720) },
  // Inflating, filters, averages.
  "png-averaged": { try thumbnail(graphic, 96, 72) },
  // The resampler of pixels.
  "resample-pixels": {
    let data = try file(graphic)
    let bitmap = try CodecRegistry.standard.picture(
      from: data, context: DecodingContext(limits: DecodingLimits(cpuTime: .seconds(10_000)))
    ).bitmap
    return {
      _ = Resampler().resample(
        bitmap, region: PixelRegion(bitmap.size), to: PixelSize(width: 200, height: 150))
    }
  },
  // libjpeg-turbo row by row, the curve of sRGB and means of squares, and the resampler of planes.
  "jpeg-linear": { try thumbnail(photo, 320, 180, light: .linear) },
  // 16 bits under PQ: averages, the resampler of 16 bits, tone mapping.
  "png-bright": {
    let wide = try bright(PixelSize(width: 1600, height: 1200))
    let data = try CodecRegistry.standard.encode(wide, as: .png, options: EncodingOptions(effort: .low))
    let resize = Resize(PixelSize(width: 160, height: 120), mode: .fill)
    return {
      let context = DecodingContext(limits: DecodingLimits(cpuTime: .seconds(10_000)))
      _ = try CodecRegistry.standard.picture(from: data, resize: resize, context: context)
    }
  },
  // A rendition to the disk and back.
  "delta-file": {
    let bitmap = Bitmap(size: PixelSize(width: 320, height: 240), isOpaque: false) { x, y in
      let grain: Int = (x * y) % 13
      let value = UInt8((x * 3 + y * 5 + grain) % 200)
      return Pixel(red: value, green: value / 2, blue: UInt8(x % 200), alpha: 220)
    }
    return {
      let data = try CodecRegistry.standard.encode(bitmap, as: .ozuDelta)
      _ = try CodecRegistry.standard.picture(
        from: data, context: DecodingContext(limits: DecodingLimits(cpuTime: .seconds(10_000))))
    }
  },
]

guard CommandLine.arguments.count == 3, let make = cases[CommandLine.arguments[1]],
  let repetitions = Int(CommandLine.arguments[2])
else {
  print(cases.keys.sorted().joined(separator: "\n"))
  exit(2)
}
let work = try make()
for _ in 0..<repetitions { try work() }
