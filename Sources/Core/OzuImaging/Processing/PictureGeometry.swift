/// The part of a picture that is left after some processors, its size, and how it is turned. For a second picture
/// that belongs to the first, such as a gain map, and has to be changed in the same way with fewer pixels.
///
/// A pure function of the size and the processors. It supports only processors that move pixels: those that change
/// colours, or that look at pixels to find their place, have no such geometry.
package struct PictureGeometry: Hashable, Sendable {
  /// The part that is shown, in pixels of the upright source.
  package let region: PixelRegion
  package let size: PixelSize
  /// How the part is turned after it is cut out, one turn after the other.
  package let turns: [Turn]

  /// Applies a recipe to a source.
  ///
  /// - Parameter source: the size of the upright picture; not empty.
  /// - Returns: `nil` if a processor is of another kind, or if nothing would be left.
  package init?(source: PixelSize, resize: Resize?, steps: [any ImageProcessing]) {
    var size = source
    var turns: [Turn] = []
    // The mapping from each picture back to the one before it.
    var ways: [(PixelRegion) -> PixelRegion] = []
    func add(_ resize: Resize?) {
      let geometry = ResizeGeometry(source: size, resize: resize)
      let (area, made) = (geometry.region, geometry.outputSize)
      ways.append {
        $0.scaled(horizontal: area.width / Double(made.width), vertical: area.height / Double(made.height))
          .moved(x: area.x, y: area.y)
      }
      size = made
    }
    add(resize)
    for step in steps {
      switch step {
      case let step as Resize:
        guard step.changesNothing || step.mode == .none || !step.size.isEmpty else { return nil }
        add(step)
      case let step as Crop:
        guard let rectangle = step.rectangle(in: size), !rectangle.size.isEmpty else { return nil }
        ways.append { $0.moved(x: Double(rectangle.x), y: Double(rectangle.y)) }
        size = rectangle.size
      case let step as Turn:
        let (stored, orientation) = (size, step.orientation)
        ways.append { orientation.storedRegion($0, stored: stored) }
        size = orientation.applied(to: size)
        turns.append(step)
      default: return nil
      }
    }
    self.size = size
    self.turns = turns
    region = ways.reversed().reduce(PixelRegion(size)) { $1($0) }
  }

  /// The size of the part before it is turned.
  package var sizeBeforeTurns: PixelSize {
    turns.count { $0.orientation.swapsAxes }.isMultiple(of: 2) ? size : size.transposed
  }
}
