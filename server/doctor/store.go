package doctor

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"portico/db/dump"
	"portico/server/stored"
	"portico/storage"
)

const (
	// minAge is how old an object without a row must be to count as left over. The row of an upload
	// comes first, and that of a picture or a result within hours.
	minAge = 48 * time.Hour
	// maxLines is how many findings of one kind are printed.
	maxLines = 100
)

// ours matches the keys of our objects. A bucket may have others.
var ours = regexp.MustCompile(`^([0-9]{8})/(api_uploads|derived|pictures)/.`)

// lookAtStore compares the rows with the objects.
func (e *examination) lookAtStore(ctx context.Context, snapshot *dump.Snapshot) error {
	if err := e.Store.Ping(ctx); errors.Is(err, storage.ErrFull) {
		e.problem("the disk of the files is full", "Delete files, or make room: uploads are refused until 256 MiB are free")
	} else if err != nil {
		e.problem("the store of files does not answer: "+err.Error(), "Check PORTICO_STORAGE_URL and its keys, or the folder files in the data folder")
		return nil //nolint:nilerr // the error is a finding
	}
	index, others, err := e.compare(ctx, snapshot)
	if err != nil {
		return err
	}
	// Rows and objects may have changed since the snapshot, so what differs is looked at again.
	wrong := slices.DeleteFunc(slices.Clone(index.Rows()), isRight)
	if len(wrong) > 0 || len(others) > 0 {
		if wrong, others, err = e.lookAgain(ctx, wrong, others); err != nil {
			return err
		}
	}
	e.reportRows(wrong)
	return e.reportOthers(ctx, others)
}

// isRight reports whether the objects of a row are those that it says. An upload may have any bytes, or
// none.
func isRight(r *stored.Row) bool {
	if r.IsShort() {
		return false
	}
	return r.Kind != "file" && r.Kind != "derived" || r.FoundBytes == r.Bytes && (r.Kind == "derived" || r.Found == r.Objects)
}

// compare lists the store, and returns the rows with their objects, and the old objects that no row
// names.
func (e *examination) compare(ctx context.Context, snapshot *dump.Snapshot) (*stored.Index, []storage.Object, error) {
	holdings, err := snapshot.Holdings(ctx)
	if err != nil {
		return nil, nil, err
	}
	index := stored.NewIndex(holdings)
	e.Rows = index.Len()
	var others []storage.Object
	for o, err := range e.Store.List(ctx, "") {
		if err != nil {
			return nil, nil, err
		}
		e.Objects++
		if row := index.RowOf(o.Key); row != nil {
			row.Add(o)
		} else if e.now().Sub(o.ModifiedAt) > minAge {
			others = append(others, o)
		}
	}
	return index, others, nil
}

// lookAgain returns the rows that are still wrong in a later snapshot, and the objects that still no
// row names.
func (e *examination) lookAgain(ctx context.Context, before []*stored.Row, others []storage.Object) (wrong []*stored.Row, left []storage.Object, err error) {
	snapshot, err := dump.OpenSnapshot(ctx, e.Database)
	if err != nil {
		return nil, nil, err
	}
	defer snapshot.Close()
	holdings, err := snapshot.Holdings(ctx)
	if err != nil {
		return nil, nil, err
	}
	now := stored.NewIndex(holdings)
	for _, row := range before {
		again := now.RowOf(row.Key)
		if again == nil {
			continue
		}
		if err := e.count(ctx, again); err != nil {
			return nil, nil, err
		}
		if !isRight(again) {
			wrong = append(wrong, again)
		}
	}
	removals, err := snapshot.Removals(ctx)
	if err != nil {
		return nil, nil, err
	}
	var promised []dump.Holding
	for _, key := range removals {
		promised = append(promised, dump.Holding{Key: key})
	}
	removed := stored.NewIndex(promised)
	for _, o := range others {
		if now.RowOf(o.Key) == nil && removed.RowOf(o.Key) == nil {
			left = append(left, o)
		}
	}
	return wrong, left, nil
}

// count adds the objects of a row that are in the store.
func (e *examination) count(ctx context.Context, row *stored.Row) error {
	if !strings.HasSuffix(row.Key, "/") {
		o, err := e.Store.Stat(ctx, row.Key)
		if err == nil {
			row.Add(o)
		} else if !errors.Is(err, storage.ErrNotFound) {
			return err
		}
		return nil
	}
	for o, err := range e.Store.List(ctx, row.Key) {
		if err != nil {
			return err
		}
		row.Add(o)
	}
	return nil
}

func (e *examination) reportRows(wrong []*stored.Row) {
	for i, row := range wrong {
		if i == maxLines {
			e.problem(fmt.Sprintf("%d more rows differ from their objects", len(wrong)-i), "portico backup names all that are missing")
			break
		}
		e.problem(describe(row))
	}
}

// describe returns what is wrong with a row, and what to do.
func describe(row *stored.Row) (what, do string) {
	switch {
	case row.Kind == "picture":
		return "the picture of the account " + row.ID + " is missing in the store", "portico restore --files puts it back from a backup, or the account chooses another"
	case row.Kind == "derived" && row.IsShort():
		what = fmt.Sprintf("what was made of the file %s (%s) has %d of %d bytes in the store", row.ID, row.Key, row.FoundBytes, row.Bytes)
		do = "portico restore --files puts it back from a backup. Otherwise upload the file again"
	case row.IsShort():
		what = fmt.Sprintf("the file %s (%s) has %d of %d objects and %d of %d bytes in the store", row.ID, row.Key, row.Found, row.Objects, row.FoundBytes, row.Bytes)
		do = "portico restore --files puts it back from a backup. Otherwise delete the file and upload it again"
	default:
		return fmt.Sprintf("%s has %d objects and %d bytes in the store, and the row of the file %s says %d bytes", row.Key, row.Found, row.FoundBytes, row.ID, row.Bytes),
			"Delete the file and upload it again, to make its size right"
	}
	if len(row.Missing) > 0 {
		what += ": " + row.Missing[0] + " is missing"
	}
	return what, do
}

// reportOthers reports the objects that nothing names, and deletes those that are ours.
//
// It deletes nothing that may be of another server: in the wrong database, all objects seem to be left
// over.
func (e *examination) reportOthers(ctx context.Context, others []storage.Object) error {
	if len(others) == 0 {
		return nil
	}
	left, foreign, err := e.ofAccounts(ctx, others)
	if err != nil {
		return err
	}
	if len(foreign) > 0 {
		e.note(fmt.Sprintf("%d objects in the store belong to no account, such as %s", len(foreign), foreign[0].Key),
			"They are of another program or server, or of accounts that were restored away. Nothing deletes them")
	}
	mayDelete := e.Fix && len(left) <= e.Objects/2
	if e.Fix && !mayDelete {
		e.note("more than half of the objects in the store are left over, and --fix deletes none of them",
			"Check that PORTICO_STORAGE_URL and PORTICO_DATABASE_URL belong together")
	}
	for i, o := range left {
		what := fmt.Sprintf("no row names the object %s of %d bytes", o.Key, o.Size)
		if mayDelete {
			if err := e.Store.Delete(ctx, o.Key); err != nil {
				return err
			}
		}
		switch {
		case i > maxLines:
		case i == maxLines:
			e.add(fmt.Sprintf("no row names %d more objects", len(left)-i), mayDelete)
		default:
			e.add(what, mayDelete)
		}
	}
	return nil
}

// ofAccounts returns the objects that belong to accounts of the database, and the others.
func (e *examination) ofAccounts(ctx context.Context, objects []storage.Object) (known, foreign []storage.Object, err error) {
	snapshot, err := dump.OpenSnapshot(ctx, e.Database)
	if err != nil {
		return nil, nil, err
	}
	defer snapshot.Close()
	ids, err := snapshot.Accounts(ctx)
	if err != nil {
		return nil, nil, err
	}
	accounts := map[string]bool{}
	for _, id := range ids {
		accounts[id] = true
	}
	for _, o := range objects {
		if parts := ours.FindStringSubmatch(o.Key); parts != nil && accounts[parts[1]] {
			known = append(known, o)
		} else {
			foreign = append(foreign, o)
		}
	}
	return known, foreign, nil
}

// add adds a finding about left-over objects.
func (e *examination) add(what string, isDeleted bool) {
	if isDeleted {
		e.fixed(what, "It was deleted")
	} else {
		e.problem(what, "portico doctor --fix deletes it")
	}
}
