/// Following the binding of a view.
extension ZoomModel {
  /// Takes over the content of a view. Call this from `ImageDisplaying.show`.
  ///
  /// A picture of another request is fitted to the view. A placeholder or preview reserves its space as soon as the
  /// size of the picture is known. A frame changes nothing: the view draws it at the position of the picture.
  ///
  /// - Parameter request: the request of the binding.
  public func follow(_ content: DisplayContent, of request: ImageRequest?) {
    switch content {
    case .nothing, .failure, .toolkitImage: clear()
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

  /// Whether the picture belongs to a request.
  public func isFollowing(_ request: ImageRequest?) -> Bool {
    guard isFollowing, let request, let own = self.request else { return false }
    return own.key == Self.plain(request).key
  }

  /// Reserves space for a picture that is still loading.
  private func stand(in picture: Picture) {
    guard let size = picture.header?.size else { return }
    setFullSize(size)
    onChange()
  }
}
