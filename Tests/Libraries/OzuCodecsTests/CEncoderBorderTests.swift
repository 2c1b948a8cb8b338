import CCodecs
import Foundation
import OzuImaging
import Testing

@testable import OzuLibraryCodecs

/// The C code reads and writes no memory outside the blocks that it is given.
@Suite("Memory that C encoders and colour transforms receive")
struct CEncoderBorderTests {
  @Test("is not read beyond its end by encoders")
  func encoders() throws {
    var pixels = [UInt8](repeating: 7, count: 1 << 12)
    typealias Encoding = LibraryEncoder.Encoding
    var encoders: [Encoding] = []
    #if WebP
      encoders.append { ozu_webp_encode($0, $1, $2, $3) }
    #endif
    #if AVIF
      encoders.append { ozu_avif_encode($0, $1, $2, $3) }
    #endif
    #if JXL
      encoders.append { ozu_jxl_encode($0, $1, $2, $3) }
    #endif
    pixels.withUnsafeMutableBufferPointer { pixels in
      let right = OzuEncodeRequest(
        pixels: pixels.baseAddress, bytes_per_row: 32, format: .BGRA8, width: 8, height: 8, has_alpha: true,
        quality: 0.5, is_lossless: false, effort: .medium, chroma: .full, is_progressive: false, primaries: 0,
        transfer: 0, peak: 0,
        blocks: OzuEncodeBlocks())
      let changes: [(inout OzuEncodeRequest) -> Void] = [
        { $0.pixels = nil }, { $0.bytes_per_row = 31 }, { $0.width = 9 }, { $0.width = 0 }, { $0.height = 0 },
        { $0.format = .RGBA16 }, { $0.format = .gray8 }, { $0.width = .max }, { $0.bytes_per_row = 0 },
      ]
      for encode in encoders {
        var message = [CChar](repeating: 0, count: 256)
        var file = OzuBytes()
        for change in changes {
          var request = right
          change(&request)
          #expect(encode(&request, &file, &message, message.count) == .failed)
          #expect(file.bytes == nil && file.count == 0)
        }
        var request = right
        #expect(encode(&request, &file, &message, message.count) == .done)
        #expect(file.data()?.isEmpty == false)
      }
      var message = [CChar](repeating: 0, count: 256)
      var file = OzuBytes()
      var parameters = OzuJPEGParameters(
        quality: 50, chroma: .quarter, is_progressive: false, is_gray: false, dots_per_inch_x: 0,
        dots_per_inch_y: 0)
      for (bytesPerRow, width, height) in [
        (31, 8, 8), (32, 9, 8), (32, 0, 8), (32, 8, 0), (32, -8, 8), (0, 1, 1),
      ] {
        let status = ozu_jpeg_encode(
          pixels.baseAddress, bytesPerRow, Int32(width), Int32(height), true, &parameters, &file, &message,
          message.count)
        #expect(status == .failed && file.bytes == nil)
      }
      for (width, height) in [(0, 8), (8, 0), (-8, 8), (65_536, 8)] {
        let none = ozu_jpeg_coefficients_new(
          Int32(width), Int32(height), &parameters, &message, message.count)
        #expect(none == nil)
      }
      guard let coefficients = ozu_jpeg_coefficients_new(17, 9, &parameters, &message, message.count) else {
        Issue.record("no memory for two blocks")
        return
      }
      defer { ozu_jpeg_coefficients_free(coefficients) }
      let luma = ozu_jpeg_coefficients_component(coefficients, 0)
      #expect((luma.across, luma.down) == (3, 2))
      for (component, row) in [(-1, 0), (3, 0), (0, -1), (0, 2), (1, 1)] {
        #expect(ozu_jpeg_coefficients_row(coefficients, Int32(component), Int32(row)) == nil)
      }
      #expect(ozu_jpeg_coefficients_component(coefficients, 3).across == 0)
      let means = OzuJPEGScan(
        first_component: 0, component_count: 3, start: 0, end: 0, bits_before: 0, bits_after: 0)
      var outside = means
      outside.component_count = 4
      for scans in [[], [outside], Array(repeating: means, count: 40)] {
        #expect(ozu_jpeg_coefficients_write(coefficients, scans, Int32(scans.count), &file) == .failed)
        #expect(file.bytes == nil && file.count == 0)
      }
      #expect(ozu_jpeg_coefficients_write(coefficients, [means], 1, &file) == .done && file.count > 0)
    }
  }

  @Test("is neither read nor written beyond its end by colour transforms")
  func colors() {
    for (layout, from, to) in [(OzuColorLayout.BGRA, 4, 4), (.gray, 1, 4), (.RGBA16, 8, 8), (.gray16, 2, 8)] {
      let transform = ozu_color_transform_from_primaries(Chromaticities.sRGB.values, .gamma, 2.2, layout)
      defer { ozu_color_transform_free(transform) }
      let source = [UInt8](repeating: 9, count: 10 * from)
      var target = [UInt8](repeating: 0xA5, count: 10 * to)
      #expect(!ozu_color_transform_apply(transform, source, source.count - 1, &target, target.count, 10))
      #expect(!ozu_color_transform_apply(transform, source, source.count, &target, target.count - 1, 10))
      #expect(!ozu_color_transform_apply(transform, source, source.count, &target, target.count, 11))
      #expect(target.allSatisfy { $0 == 0xA5 })
      #expect(ozu_color_transform_apply(transform, source, source.count, &target, target.count, 10))
      #expect(!target.allSatisfy { $0 == 0xA5 })
    }
  }
}
