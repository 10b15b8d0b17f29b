package worker

import (
	"context"
	"errors"
	"fmt"

	"portico/db"
	"portico/model"
	"portico/worker/child"
)

// posterName is the name of the first poster. The others have names such as poster-320.jpg.
const posterName = "poster.jpg"

// posterFolder is the folder of posters among a file's derived objects. Browsers cache pictures for
// a year, so posters of another view need other addresses: each drawing has a folder of its own in
// it.
const posterFolder = "posters/"

// addPosters makes and stores pictures of the file, which replace earlier ones. If the owner has no
// storage left, or the pictures cannot be made, it stores this as the step's failure and returns
// nil. The new objects are stored before the row names them, and the old ones are removed after
// that, so a reader of the row always finds its objects.
func (t *attemptTools) addPosters(ctx context.Context, file *model.File, in input) error {
	output, result, err := t.derive(ctx, file, conversion{
		in: in, name: posterName, viewpoint: file.PosterView(), lookAround: file.LooksAround(), timeout: inspectTimeout,
	})
	if err != nil {
		return t.giveUpStep(ctx, file, model.StepPoster, err)
	}
	posters, err := describePosters(file, output, result)
	if err != nil {
		return err
	}
	folder, err := t.storeDerived(ctx, file, posterFolder, output, func(workload, workload) {})
	if err != nil {
		return err
	}
	for i := range posters.Sizes {
		posters.Sizes[i].Key = folder.key + posters.Sizes[i].Key
	}
	if turntable := posters.Turntable; turntable != nil {
		turntable.Key = folder.key + turntable.Key
	}
	stored, err := t.linkFolder(ctx, folder, func(tx *db.DB) (bool, error) { return tx.Files().SetPosters(ctx, file, posters) })
	if model.CodeOf(err) == model.CodeQuotaExceeded { // used up since derive has looked
		err = t.giveUpStep(ctx, file, model.StepPoster, err)
	}
	if stored {
		t.removeReplacedPosters(ctx, file)
	}
	return err
}

// describePosters returns the posters that a child has drawn. Their keys are still the names of the
// files. A hostile capture may control the child, so its description of the pictures is checked.
func describePosters(file *model.File, output *stagedResult, made *child.Result) (*model.Posters, error) {
	posters := &model.Posters{From: file.PosterView()}
	for _, picture := range made.Pictures {
		stored, err := describePicture(output, picture)
		if err != nil {
			return nil, err
		}
		posters.Sizes = append(posters.Sizes, stored)
	}
	if len(posters.Sizes) == 0 || posters.Sizes[0].Key != posterName {
		return nil, errors.New("the child did not name its pictures")
	}
	if made.Turntable != nil {
		stored, err := describePicture(output, *made.Turntable)
		if err != nil {
			return nil, err
		}
		posters.Turntable = &model.StoredTurntable{StoredPoster: stored, Frames: model.TurntableFrames}
	}
	return posters, nil
}

func describePicture(output *stagedResult, picture child.Picture) (model.StoredPoster, error) {
	size, ok := output.size(picture.Name)
	if !ok || picture.Width < 1 || picture.Height < 1 {
		return model.StoredPoster{}, fmt.Errorf("the child made no picture %q of %d x %d pixels", picture.Name, picture.Width, picture.Height)
	}
	return model.StoredPoster{Key: picture.Name, Width: picture.Width, Height: picture.Height, Bytes: size}, nil
}

// removeReplacedPosters removes the objects of posters that were replaced. If that fails, the
// recorded removals delete them later.
func (t *attemptTools) removeReplacedPosters(ctx context.Context, file *model.File) {
	for _, picture := range file.Posters.Objects() {
		key := file.UserID + "/" + picture.Key
		err := t.store.Delete(ctx, key)
		if err == nil {
			err = t.db.Files().FinishSweep(ctx, key, false)
		}
		if err != nil {
			t.log.Warn("remove a replaced poster", "error", err)
		}
	}
}
