import OzuUIKit
import UIKit

/// A row of the list: a photograph that covers it.
final class PhotoCell: UITableViewCell {
  static let identifier = "photo"
  static let height: CGFloat = 180
  /// One format for rows and for what is loaded ahead of them, so that both mean the same picture.
  static let format = CacheFormat("rows", size: PixelSize(width: 1290, height: 540), mode: .aspectFill)
  private let photo = UIImageView(frame: .zero)

  override init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
    super.init(style: style, reuseIdentifier: reuseIdentifier)
    photo.frame = contentView.bounds
    photo.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    photo.contentMode = .scaleAspectFill
    photo.clipsToBounds = true
    photo.backgroundColor = .secondarySystemBackground
    photo.ozu.cacheFormat = Self.format
    contentView.addSubview(photo)
  }

  @available(*, unavailable)
  required init?(coder: NSCoder) {
    nil
  }

  override func prepareForReuse() {
    super.prepareForReuse()
    photo.ozu.images.clear()
  }

  func show(_ address: URL) {
    photo.ozu.setImage(from: address)
  }
}
