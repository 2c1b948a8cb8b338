import OzuUIKit
import UIKit

/// A row of the list: a photograph that covers it.
final class PhotoCell: UITableViewCell {
  static let identifier = "photo"
  static let height: CGFloat = 180
  let photo = UIImageView(frame: .zero)

  override init(style: UITableViewCell.CellStyle, reuseIdentifier: String?) {
    super.init(style: style, reuseIdentifier: reuseIdentifier)
    photo.frame = contentView.bounds
    photo.autoresizingMask = [.flexibleWidth, .flexibleHeight]
    photo.contentMode = .scaleAspectFill
    photo.clipsToBounds = true
    photo.backgroundColor = .secondarySystemBackground
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
