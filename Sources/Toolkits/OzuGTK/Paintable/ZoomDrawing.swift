#if GTK
  import CGTK
  import Ozu

  /// Draws a picture at the place that the geometry of a `ZoomModel` gives, and over it the model's squares.
  @MainActor
  final class ZoomDrawing {
    let model: ZoomModel
    /// The textures that were drawn last, by the address of their pixels. A texture holds that memory, so the address stays
    /// unique.
    private var textures: [UnsafeRawPointer: Texture] = [:]

    init(_ model: ZoomModel) {
      self.model = model
    }

    /// The place of the whole picture, in points. Before its size is known it is the largest that fits.
    ///
    /// - Parameter picture: the size of its placeholder.
    func place(
      of picture: PixelSize, in place: (width: Double, height: Double)
    ) -> (x: Double, y: Double, width: Double, height: Double) {
      if let geometry = model.geometry {
        var region = geometry.place(of: PixelRegion(geometry.pictureSize))
        if geometry.isFitted {
          // Renditions have whole pixels; drawn a part of a pixel smaller or larger, they would be blurred.
          (region.width, region.height) = (Self.rounded(region.width), Self.rounded(region.height))
        }
        return points(region, in: place)
      }
      let factor = min(place.width / Double(picture.width), place.height / Double(picture.height))
      let (width, height) = (Double(picture.width) * factor, Double(picture.height) * factor)
      return ((place.width - width) / 2, (place.height - height) / 2, width, height)
    }

    /// Draws the visible squares, the coarser ones first.
    func drawSquares(
      in place: (width: Double, height: Double),
      _ append: (Texture, (x: Double, y: Double, width: Double, height: Double)) -> Void
    ) {
      var used: [UnsafeRawPointer: Texture] = [:]
      defer { textures = used }
      guard let geometry = model.geometry else { return }
      for layer in model.layers.dropFirst() {
        let bitmap = layer.picture.bitmap
        let address = bitmap.withUnsafeBytes { $0.baseAddress }
        guard let address else { continue }
        let texture = used[address] ?? textures[address] ?? Texture(bitmap)
        used[address] = texture
        append(texture, points(geometry.place(of: layer.region), in: place))
      }
    }

    /// A side as `ResizeGeometry` rounds it.
    private static func rounded(_ side: Double) -> Double { max(1, (side + 1e-6).rounded()) }

    /// Converts pixels of the screen to points. Edges are rounded to whole pixels, so that squares meet without a seam.
    private func points(_ region: PixelRegion, in place: (width: Double, height: Double)) -> (
      x: Double, y: Double, width: Double, height: Double
    ) {
      let view = model.viewSize
      let (left, top) = (region.x.rounded(), region.y.rounded())
      let width = max(1, (region.x + region.width).rounded() - left)
      let height = max(1, (region.y + region.height).rounded() - top)
      // The model learns a new size shortly after the first frame in that size.
      let (x, y) = (place.width / Double(max(1, view.width)), place.height / Double(max(1, view.height)))
      return (left * x, top * y, width * x, height * y)
    }
  }
#endif
