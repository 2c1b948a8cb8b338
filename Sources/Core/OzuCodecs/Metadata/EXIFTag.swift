/// The tags of EXIF data that Ozu uses by number (CIPA DC-008-2023 §4.6, TIFF 6.0).
enum EXIFTag {
  static let orientation = 0x0112
  static let horizontalResolution = 0x011A
  static let verticalResolution = 0x011B
  static let resolutionUnit = 0x0128
  static let (thumbnail, thumbnailByteCount) = (0x0201, 0x0202)
  static let details = 0x8769
  static let place = 0x8825
  static let makerNote = 0x927C
  static let subjectArea = 0x9214
  static let colorSpace = 0xA001
  static let width = 0xA002
  static let height = 0xA003
  static let interoperability = 0xA005
  static let subjectLocation = 0xA214
  static let copyright = 0x8298
  static let sensitivity = 0x8827
  static let artist = 0x013B
  static let userComment = 0x9286
  static let componentsConfiguration = 0x9101
  static let titleOfWindows = 0x9C9B
  static let authorOfWindows = 0x9C9D
  static let keywordsOfWindows = 0x9C9E
  static let subjectOfWindows = 0x9C9F
  static let photographer = 0xA437

  /// The tags of the first directory that describe the picture: description, maker, model, orientation, resolution,
  /// software, date, artist, rating, copyright, and those of Windows (title, comment, author, keywords, subject).
  /// The others describe the layout of pixels in a TIFF, or refer to another part of the file: they are not copied.
  static let picture: Set<Int> = [
    0x010E, 0x010F, 0x0110, orientation, horizontalResolution, verticalResolution, resolutionUnit, 0x0131,
    0x0132, 0x013B, 0x013C, 0x4746, 0x4749, 0x8298, 0x9C9B, 0x9C9C, 0x9C9D, 0x9C9E, 0x9C9F,
  ]

  /// The tags of the details that are not copied: padding, and the offset by which a maker note was moved; places
  /// in the original picture, in pixels; and the rules for camera file systems.
  static let uncopiedDetails: Set<Int> = [0xEA1C, 0xEA1D, subjectArea, subjectLocation, interoperability]
}

/// The names of tags, as the standards write them (CIPA DC-008-2023 §4.6, TIFF 6.0, IPTC-IIM 4.2).
enum EXIFTagNames {
  /// The name of a tag outside the directory of the place; its number if it has none.
  static func name(of tag: Int) -> String { names[tag] ?? number(tag) }

  static func placeName(of tag: Int) -> String {
    placeNames.indices.contains(tag) ? "GPS\(placeNames[tag])" : number(tag)
  }

  private static func number(_ tag: Int) -> String {
    let digits = String(tag, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
  }

  private static let names: [Int: String] = [
    0x00FE: "NewSubfileType", 0x0100: "ImageWidth", 0x0101: "ImageLength", 0x0102: "BitsPerSample",
    0x0103: "Compression", 0x0106: "PhotometricInterpretation", 0x010A: "FillOrder", 0x010D: "DocumentName",
    0x010E: "ImageDescription", 0x010F: "Make", 0x0110: "Model", 0x0111: "StripOffsets",
    0x0112: "Orientation", 0x0115: "SamplesPerPixel", 0x0116: "RowsPerStrip", 0x0117: "StripByteCounts",
    0x011A: "XResolution", 0x011B: "YResolution", 0x011C: "PlanarConfiguration", 0x011D: "PageName",
    0x0128: "ResolutionUnit", 0x0129: "PageNumber", 0x012D: "TransferFunction", 0x0131: "Software",
    0x0132: "DateTime", 0x013B: "Artist", 0x013C: "HostComputer", 0x013D: "Predictor", 0x013E: "WhitePoint",
    0x013F: "PrimaryChromaticities", 0x0140: "ColorMap", 0x0142: "TileWidth", 0x0143: "TileLength",
    0x0144: "TileOffsets", 0x0145: "TileByteCounts", 0x0152: "ExtraSamples", 0x0153: "SampleFormat",
    0x0201: "JPEGInterchangeFormat", 0x0202: "JPEGInterchangeFormatLength", 0x0211: "YCbCrCoefficients",
    0x0212: "YCbCrSubSampling", 0x0213: "YCbCrPositioning", 0x0214: "ReferenceBlackWhite", 0x4746: "Rating",
    0x4749: "RatingPercent", 0x8298: "Copyright", 0x829A: "ExposureTime", 0x829D: "FNumber",
    0x8822: "ExposureProgram", 0x8824: "SpectralSensitivity", 0x8827: "PhotographicSensitivity",
    0x8828: "OECF", 0x8830: "SensitivityType", 0x8831: "StandardOutputSensitivity",
    0x8832: "RecommendedExposureIndex", 0x8833: "ISOSpeed", 0x8834: "ISOSpeedLatitudeyyy",
    0x8835: "ISOSpeedLatitudezzz", 0x9000: "ExifVersion", 0x9003: "DateTimeOriginal",
    0x9004: "DateTimeDigitized", 0x9010: "OffsetTime", 0x9011: "OffsetTimeOriginal",
    0x9012: "OffsetTimeDigitized", 0x9101: "ComponentsConfiguration", 0x9102: "CompressedBitsPerPixel",
    0x9201: "ShutterSpeedValue", 0x9202: "ApertureValue", 0x9203: "BrightnessValue",
    0x9204: "ExposureBiasValue", 0x9205: "MaxApertureValue", 0x9206: "SubjectDistance",
    0x9207: "MeteringMode", 0x9208: "LightSource", 0x9209: "Flash", 0x920A: "FocalLength",
    0x9214: "SubjectArea", 0x927C: "MakerNote", 0x9286: "UserComment", 0x9290: "SubSecTime",
    0x9291: "SubSecTimeOriginal", 0x9292: "SubSecTimeDigitized", 0x9400: "Temperature", 0x9401: "Humidity",
    0x9402: "Pressure", 0x9403: "WaterDepth", 0x9404: "Acceleration", 0x9405: "CameraElevationAngle",
    0x9C9B: "XPTitle", 0x9C9C: "XPComment", 0x9C9D: "XPAuthor", 0x9C9E: "XPKeywords", 0x9C9F: "XPSubject",
    0xA000: "FlashpixVersion", 0xA001: "ColorSpace", 0xA002: "PixelXDimension", 0xA003: "PixelYDimension",
    0xA004: "RelatedSoundFile", 0xA20B: "FlashEnergy", 0xA20C: "SpatialFrequencyResponse",
    0xA20E: "FocalPlaneXResolution", 0xA20F: "FocalPlaneYResolution", 0xA210: "FocalPlaneResolutionUnit",
    0xA214: "SubjectLocation", 0xA215: "ExposureIndex", 0xA217: "SensingMethod", 0xA300: "FileSource",
    0xA301: "SceneType", 0xA302: "CFAPattern", 0xA401: "CustomRendered", 0xA402: "ExposureMode",
    0xA403: "WhiteBalance", 0xA404: "DigitalZoomRatio", 0xA405: "FocalLengthIn35mmFilm",
    0xA406: "SceneCaptureType", 0xA407: "GainControl", 0xA408: "Contrast", 0xA409: "Saturation",
    0xA40A: "Sharpness", 0xA40B: "DeviceSettingDescription", 0xA40C: "SubjectDistanceRange",
    0xA420: "ImageUniqueID", 0xA430: "CameraOwnerName", 0xA431: "BodySerialNumber",
    0xA432: "LensSpecification", 0xA433: "LensMake", 0xA434: "LensModel", 0xA435: "LensSerialNumber",
    0xA436: "ImageTitle", 0xA437: "Photographer", 0xA438: "ImageEditor", 0xA439: "CameraFirmware",
    0xA43A: "RAWDevelopingSoftware", 0xA43B: "ImageEditingSoftware", 0xA43C: "MetadataEditingSoftware",
    0xA460: "CompositeImage", 0xA461: "SourceImageNumberOfCompositeImage",
    0xA462: "SourceExposureTimesOfCompositeImage", 0xA500: "Gamma",
  ]

  private static let placeNames = [
    "VersionID", "LatitudeRef", "Latitude", "LongitudeRef", "Longitude", "AltitudeRef", "Altitude",
    "TimeStamp", "Satellites", "Status", "MeasureMode", "DOP", "SpeedRef", "Speed", "TrackRef", "Track",
    "ImgDirectionRef", "ImgDirection", "MapDatum", "DestLatitudeRef", "DestLatitude", "DestLongitudeRef",
    "DestLongitude", "DestBearingRef", "DestBearing", "DestDistanceRef", "DestDistance", "ProcessingMethod",
    "AreaInformation", "DateStamp", "Differential", "HPositioningError",
  ]
}
