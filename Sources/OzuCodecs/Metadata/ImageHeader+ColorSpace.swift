import OzuImaging

extension ImageHeader {
  /// The tag of pixels that are left as stored.
  ///
  /// Profiles that call themselves sRGB are taken at their word; everything else keeps its name.
  var storedColorSpace: ColorSpaceTag {
    guard let colorProfileName, !colorProfileName.hasPrefix("sRGB") else { return .sRGB }
    return .icc(name: colorProfileName)
  }
}
