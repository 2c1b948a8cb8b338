import OzuImaging

extension ImageHeader {
  /// The tag of pixels that are left as stored.
  ///
  /// A profile that calls itself sRGB keeps its name too: the name is no proof, and only a conversion shows whether
  /// it is true.
  package var storedColorSpace: ColorSpaceTag {
    switch colorEncoding {
    case nil: .sRGB
    case .profile(let profile)?: .icc(name: profile.name ?? "unnamed profile")
    case .coded(let primaries, let transfer)?: .coded(primaries: primaries, transfer: transfer)
    case let encoding?: .encoded(name: encoding.name)
    }
  }
}
