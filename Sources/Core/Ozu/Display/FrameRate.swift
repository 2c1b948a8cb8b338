/// How often the clock of a view must tick for an animation.
///
/// A clock ticks twice within the shortest delay between frames, so that a frame is shown at most half of its delay late. With
/// one tick a frame whose tick comes a moment too early would wait for the next, and the animation would run at half its speed.
/// More ticks than that take power for nothing.
package struct FrameRate: Hashable, Sendable {
  /// The ticks a second that the animation asks for: 10 to 120.
  package let preferred: Double
  /// The ticks a second below which frames come too late.
  package let minimum: Double

  /// - Parameter shortestDelay: the shortest time between two frames.
  package init(shortestDelay: Duration) {
    let perSecond = shortestDelay > .zero ? .seconds(1) / shortestDelay : Self.most
    preferred = min(max(Self.whole(2 * perSecond), Self.fewest), Self.most)
    minimum = min(max(Self.whole(perSecond), Self.fewest), preferred)
  }

  /// An excess this small is a rounding error of a division.
  private static func whole(_ ticks: Double) -> Double { (ticks - 1e-6).rounded(.up) }

  /// The seconds between two ticks.
  package var interval: Double { 1 / preferred }

  /// The rates of screens: 120 at most, and a screen with a variable rate goes down to 10.
  private static let most = 120.0
  private static let fewest = 10.0
}
