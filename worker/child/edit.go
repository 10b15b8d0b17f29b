package child

import (
	"context"
	"errors"

	"portico/model"
	"portico/splat"
)

// edit applies the changes to the capture in their order. A change with the name
// model.MergeEdit merges the next of the other inputs into it. edit returns the result, and
// closing the result closes the capture. After an error it returns the capture with the
// changes before the error, and the caller closes that.
func (r *Request) edit(ctx context.Context, capture *splat.Capture, others []openedInput) (*splat.Capture, error) {
	// Each round applies the changes up to a merge, and then that merge.
	for rest := r.Edits; len(rest) > 0; {
		n := 0
		for n < len(rest) && rest[n].Name != model.MergeEdit {
			n++
		}
		if err := capture.Edit(ctx, changes(rest[:n])); err != nil {
			return capture, err
		}
		if rest = rest[n:]; len(rest) == 0 {
			break
		}
		if len(others) == 0 {
			return capture, errors.New("a change merges a file that the request does not have")
		}
		merged, err := others[0].mergeInto(ctx, capture, changes(rest[0].Edits))
		if err != nil {
			return capture, err
		}
		capture, others, rest = merged, others[1:], rest[1:]
	}
	return capture, nil
}

// mergeInto returns a capture with the Gaussians of the capture and of the input. The edits
// change only the Gaussians of the input.
func (in openedInput) mergeInto(ctx context.Context, capture *splat.Capture, edits []splat.Edit) (*splat.Capture, error) {
	other, err := in.open(ctx)
	if err != nil {
		return nil, err
	}
	if err := other.Edit(ctx, edits); err != nil {
		return nil, errors.Join(err, other.Close())
	}
	merged, err := splat.Merge(capture, other)
	if err != nil {
		return nil, errors.Join(err, other.Close())
	}
	return merged, nil
}

// changes returns the changes in the form of package splat.
func changes(edits []model.Edit) []splat.Edit {
	changes := make([]splat.Edit, len(edits))
	for i, edit := range edits {
		changes[i] = splat.Edit{Name: edit.Name, Value: edit.Value}
	}
	return changes
}
