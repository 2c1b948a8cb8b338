import OzuImaging

extension ImageHeader {
  /// The tag of pixels that are left as stored.
  ///
  /// A profile of sRGB keeps its name too: what it says of itself is no proof, and converting finds out.
  package var storedColorSpace: ColorSpaceTag {
    switch colorEncoding {
    case nil: .sRGB
    case .profile(let profile)?: .icc(name: profile.name ?? "unnamed profile")
    case .coded(let primaries, let transfer)?: .coded(primaries: primaries, transfer: transfer)
    case let encoding?: .encoded(name: encoding.name)
    }
  }
}
