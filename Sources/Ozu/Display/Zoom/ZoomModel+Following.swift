/// How a model follows the binding of its view.
extension ZoomModel {
  /// Takes over what a view was told to show: to be called from `ImageDisplaying.show`.
  ///
  /// A picture of another request than the last is fitted to the view. What stands in for a picture has its place as soon as the
  /// picture's size is known. A frame changes nothing: the view draws it where the geometry has the picture.
  ///
  /// - Parameter request: that of the binding.
  public func follow(_ content: DisplayContent, of request: ImageRequest?) {
    switch content {
    case .nothing, .failure: clear()
    case .placeholder(let picture):
      clear()
      stand(in: picture)
    case .preview(let picture): stand(in: picture)
    case .picture(let picture):
      guard let request else { return }
      if !isFollowing(request) { clear() }
      isFollowing = true
      self.request = Self.plain(request)
      setFullSize(picture.header?.size ?? picture.size)
      guard geometry != nil else { return }
      base = Whole(picture: picture, size: picture.size)
      update()
    case .frame: break
    }
  }

  /// Whether the picture is that of a request.
  public func isFollowing(_ request: ImageRequest?) -> Bool {
    guard isFollowing, let request, let own = self.request else { return false }
    return own.key == Self.plain(request).key
  }

  /// Gives a picture that is still coming its place.
  private func stand(in picture: Picture) {
    guard let size = picture.header?.size else { return }
    setFullSize(size)
    onChange()
  }
}
