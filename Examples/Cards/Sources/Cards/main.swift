import Foundation
import Ozu

let arguments = Array(CommandLine.arguments.dropFirst())
guard arguments.count == 3 else {
  print("usage: Cards NAME TEXT FILE-OR-ADDRESS")
  exit(2)
}

/// The card of a person.
func card(name: String, text: String, picture: String) -> Canvas {
  let (night, plum) = (ColorValue(red: 22, green: 38, blue: 79), ColorValue(red: 122, green: 47, blue: 107))
  let veil = ColorValue(red: 255, green: 255, blue: 255, alpha: 28)
  var title = Label(name, size: 84, weight: 700, color: .white, width: 660)
  title.maximumLineCount = 2
  title.ellipsis = .end
  var line = Label(text, size: 42, color: ColorValue(red: 225, green: 215, blue: 240), width: 660)
  line.maximumLineCount = 2
  line.ellipsis = .end

  var card = Canvas(
    size: PixelSize(width: 1200, height: 630), background: .linear(angle: 135, [night, plum]))
  card.elements = [
    .rectangle(
      Canvas.Rectangle(x: 60, y: 60, width: 1080, height: 510, fill: .color(veil), cornerRadius: 36)),
    .picture(
      Canvas.PictureFrame(picture, clip: .circle, border: .init(width: 8, color: .white)),
      Placement(x: 110, y: 175, size: PixelSize(width: 280, height: 280))),
    // From the bottom, so that a name of one line stands above the line too.
    .label(title, Placement(x: 440, y: -265, anchor: .bottomLeft)),
    .line(
      Canvas.Line(startX: 444, startY: 390, endX: 560, endY: 390, width: 6, color: .white, hasRoundEnds: true)
    ),
    .label(line, Placement(x: 440, y: 415)),
  ]
  return card
}

// A path must be whole, because a card is cached under it.
let source =
  arguments[2].contains("://") ? arguments[2] : URL(filePath: arguments[2]).path(percentEncoded: false)
let request = ImageRequest(canvas: card(name: arguments[0], text: arguments[1], picture: source))
let file = try await ImagePipeline.shared.encoded(for: request, as: .png)
try file.data.write(to: URL(filePath: "card.png"))
print("card.png: \(file.size), \(file.data.count) bytes")
