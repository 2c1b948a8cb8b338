import OzuImaging

extension ImageHeader {
  /// The tag of pixels that are left as stored.
  ///
  /// Profiles that call themselves sRGB are taken at their word; everything else keeps its name.
  var storedColorSpace: ColorSpaceTag {
    switch colorEncoding {
    case nil: .sRGB
    case .profile(let profile)?:
      profile.name?.hasPrefix("sRGB") ?? false ? .sRGB : .icc(name: profile.name ?? "unnamed profile")
    case let encoding?: .encoded(name: encoding.name)
    }
  }
}
