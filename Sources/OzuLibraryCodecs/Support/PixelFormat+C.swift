import CCodecs
import OzuImaging

extension PixelFormat {
  /// The same for the glue in C.
  var pixels: OzuPixels {
    switch self {
    case .bgra8: .BGRA8
    case .rgba16: .RGBA16
    case .gray8: .gray8
    }
  }
}
