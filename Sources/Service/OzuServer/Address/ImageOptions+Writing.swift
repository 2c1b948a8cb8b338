import OzuImaging

extension ImageOptions {
  /// The options as they are written in an address, without those that have no effect. The format is written after
  /// the source.
  var segments: [String] {
    let plain = ImageOptions()
    var list: [String] = []
    if (resizing, width, height, enlarges, extends)
      != (plain.resizing, plain.width, plain.height, plain.enlarges, plain.extends)
    {
      let flags = extends ? ":\(enlarges ? 1 : 0):1" : enlarges ? ":1" : ""
      list.append("rs:\(resizing.rawValue):\(width):\(height)\(flags)")
    }
    if let density { list.append("dpr:\(density)") }
    if gravity != plain.gravity { list.append("g:\(gravity.text)") }
    if cropWidth > 0 || cropHeight > 0 || cropGravity != nil {
      list.append("c:\(cropWidth):\(cropHeight)" + (cropGravity.map { ":\($0.text)" } ?? ""))
    }
    if let trimTolerance { list.append("t:\(trimTolerance)") }
    if quarterTurns > 0 { list.append("rot:\(quarterTurns * 90)") }
    if flipsHorizontally || flipsVertically {
      list.append("fl:\(flipsHorizontally ? 1 : 0):\(flipsVertically ? 1 : 0)")
    }
    if blur > 0 { list.append("bl:\(blur)") }
    if sharpening > 0 { list.append("sh:\(sharpening)") }
    if padding != plain.padding { list.append("pd:" + padding.map(String.init).joined(separator: ":")) }
    if let background { list.append("bg:\(background.red):\(background.green):\(background.blue)") }
    return list + outputSegments
  }

  private var outputSegments: [String] {
    var list: [String] = []
    if let quality { list.append("q:\(quality)") }
    let pairs = Self.formats.compactMap { format in
      qualities[format.type].map { "\(format.type.fileExtension):\($0)" }
    }
    if !pairs.isEmpty { list.append("fq:" + pairs.joined(separator: ":")) }
    if let byteLimit { list.append("mb:\(byteLimit)") }
    if keepsMetadata { list.append("sm:0") }
    if keepsProfile { list.append("scp:0") }
    if let fileName { list.append("fn:\(Base64URL.text(of: Array(fileName.utf8))):1") }
    if isAttachment { list.append("att:1") }
    if let expiry { list.append("exp:\(expiry)") }
    if let cacheBuster { list.append("cb:\(cacheBuster)") }
    return list
  }
}

extension ImageOptions.Gravity {
  fileprivate var text: String {
    switch self {
    case .attention: "sm"
    case .point(let x, let y): "fp:\(x):\(y)"
    case .anchor(let anchor, let x, let y):
      ImageOptions.anchors.first { $0.anchor == anchor }!.word + (x == 0 && y == 0 ? "" : ":\(x):\(y)")
    }
  }
}
