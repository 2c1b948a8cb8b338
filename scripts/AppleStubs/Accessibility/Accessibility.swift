// The settings of people who see, hear or move in other ways. iOS 18, macOS 15.

import Foundation

public struct AccessibilitySettings {
  public static var animatedImagesEnabled: Bool { fatalError() }
  public static let animatedImagesEnabledDidChangeNotification = NSNotification.Name("animated images")
}
