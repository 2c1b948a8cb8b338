#if GTK
  import CGTK
  import Ozu

  /// Draws a picture where the geometry of a `ZoomModel` has it, and over it the model's squares.
  @MainActor
  final class ZoomDrawing {
    let model: ZoomModel
    /// The textures of what was drawn last, found by the memory of their pixels, which a texture holds.
    private var textures: [UnsafeRawPointer: Texture] = [:]

    init(_ model: ZoomModel) {
      self.model = model
    }

    /// Where the whole picture lies, in points; inside the place and as large as fits before its size is known.
    ///
    /// - Parameter picture: the size of what stands in for it.
    func place(
      of picture: PixelSize, in place: (width: Double, height: Double)
    ) -> (x: Double, y: Double, width: Double, height: Double) {
      if let geometry = model.geometry {
        var region = geometry.place(of: PixelRegion(geometry.pictureSize))
        if geometry.isFitted {
          // Renditions are rounded up to whole pixels; one that is drawn a part of a pixel smaller is blurred.
          (region.width, region.height) = (Self.roundedUp(region.width), Self.roundedUp(region.height))
        }
        return points(region, in: place)
      }
      let factor = min(place.width / Double(picture.width), place.height / Double(picture.height))
      let (width, height) = (Double(picture.width) * factor, Double(picture.height) * factor)
      return ((place.width - width) / 2, (place.height - height) / 2, width, height)
    }

    /// Draws the squares in sight, those that are coarser first.
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

    private static func roundedUp(_ side: Double) -> Double { (side - 1e-6).rounded(.up) }

    /// From pixels of the screen to points. Edges lie on whole pixels, so that squares meet without a seam.
    private func points(_ region: PixelRegion, in place: (width: Double, height: Double)) -> (
      x: Double, y: Double, width: Double, height: Double
    ) {
      let view = model.viewSize
      let (left, top) = (region.x.rounded(), region.y.rounded())
      let width = max(1, (region.x + region.width).rounded() - left)
      let height = max(1, (region.y + region.height).rounded() - top)
      // The model hears of a new size a moment after the first frame that has it.
      let (x, y) = (place.width / Double(max(1, view.width)), place.height / Double(max(1, view.height)))
      return (left * x, top * y, width * x, height * y)
    }
  }
#endif
