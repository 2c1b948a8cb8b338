// The settings of people who see, hear or move in other ways. iOS 18, macOS 15.

public struct AccessibilitySettings {
  public static var animatedImagesEnabled: Bool { fatalError() }
}
