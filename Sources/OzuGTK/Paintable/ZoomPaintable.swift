#if GTK
  import CGTK
  import Ozu

  /// The layers of a `ZoomModel`, where its geometry has them.
  @MainActor
  final class ZoomPaintable: Paintable {
    /// Called with the size of the place, in points, when GTK is about to draw.
    var onDraw: (Double, Double) -> Void = { _, _ in }
    /// Pixels of the screen in a point.
    var scale = 1.0

    private let model: ZoomModel
    /// The textures of what was drawn last, found by the memory of their pixels, which a texture holds.
    private var textures: [UnsafeRawPointer: Texture] = [:]

    init(_ model: ZoomModel) {
      self.model = model
      super.init()
    }

    /// Asks GTK to draw anew.
    func invalidate() { gdk_paintable_invalidate_contents(pointer) }

    override func draw(into snapshot: OpaquePointer, _ width: Double, _ height: Double) {
      onDraw(width, height)
      guard let geometry = model.geometry, width > 0, height > 0 else {
        textures = [:]
        return
      }
      var used: [UnsafeRawPointer: Texture] = [:]
      var bounds = graphene_rect_t()
      graphene_rect_init(&bounds, 0, 0, Float(width), Float(height))
      gtk_snapshot_push_clip(snapshot, &bounds)
      for layer in model.layers {
        let bitmap = layer.picture.bitmap
        let address = bitmap.withUnsafeBytes { $0.baseAddress }
        guard let address else { continue }
        let texture = used[address] ?? textures[address] ?? Texture(bitmap)
        used[address] = texture
        let place = geometry.place(of: layer.region)
        // Edges lie on whole pixels of the screen, so that squares meet without a seam.
        let (left, top) = (place.x.rounded(), place.y.rounded())
        let (right, bottom) = ((place.x + place.width).rounded(), (place.y + place.height).rounded())
        append(
          texture, to: snapshot,
          (left / scale, top / scale, max(1, right - left) / scale, max(1, bottom - top) / scale))
      }
      gtk_snapshot_pop(snapshot)
      textures = used
    }
  }
#endif
