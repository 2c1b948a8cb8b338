// Fails with: has no member
import OzuMigration

func mistake(_ pipeline: ImagePipeline) { pipeline.loadPictureLikeNobody() }
