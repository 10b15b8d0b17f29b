package worker

import (
	"context"

	"portico/db"
	"portico/model"
)

// formatFolder is the folder of other formats among a file's derived objects.
const formatFolder = "format/"

// addFormat makes a file in another format, for who may download it. Objects are stored before the row
// names them, and their removal stays: it is due after the row has ended.
func (t *attemptTools) addFormat(ctx context.Context, file *model.File, args fileArgs) error {
	asked, err := t.db.Files().FormatDownload(ctx, file, args.Format)
	if err != nil || asked == nil || asked.State() != model.StepPending {
		return err
	}
	in, err := t.openLocally(ctx, file.StorageKey(), file.Objects > 1, func(int64, int64) {})
	if err != nil {
		return err
	}
	if file.Facts != nil {
		in.suggestedView, in.up = file.Facts.SuggestedView, file.Facts.Up
	}
	output, _, err := t.derive(ctx, file, conversion{in: in, name: file.FormatName(args.Format), timeout: attemptTimeout})
	if err != nil {
		return t.endFormat(ctx, file, args, err)
	}
	folder, err := t.storeDerived(ctx, file, formatFolder, output, func(workload, workload) {})
	if err != nil {
		return err
	}
	asked.Key, asked.Bytes = folder.key+output.primary, output.bytes
	added, err := t.db.Files().AddFormat(ctx, asked)
	if !added && !db.MayBeCommitted(err) {
		t.removeUnused(ctx, folder)
	}
	return t.endFormat(ctx, file, args, err)
}

// endFormat stores as the failure of a format, and returns nil, what another attempt would not change:
// that the capture cannot be converted, or that its owner has too little storage left.
func (t *attemptTools) endFormat(ctx context.Context, file *model.File, args fileArgs, err error) error {
	if fault, ok := asInputError(err); ok {
		return t.giveUpFormat(ctx, file, args, faultOf(fault, file))
	}
	if model.CodeOf(err) == model.CodeQuotaExceeded {
		return t.giveUpFormat(ctx, file, args, "The owner of the capture has too little storage left for this format")
	}
	return err
}

// giveUpFormat stores why a format was given up.
func (t *attemptTools) giveUpFormat(ctx context.Context, file *model.File, args fileArgs, reason string) error {
	return t.db.Files().SetFormatFailure(ctx, file, args.Format, reason)
}
