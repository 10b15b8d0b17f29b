package rest

import (
	"os"
	"strings"
	"testing"

	"portico/internal/freespace"
	"portico/internal/testkit/smalldisk"
	"portico/model"
)

// The bodies of change sets may be on the disk of the database.
func TestChangeSet_leaves_room_on_the_disk(t *testing.T) {
	t.Parallel()
	dir := smalldisk.New(t, freespace.Reserve)
	w := serveWorld(t, func(o *Options) { o.TempFolder = dir })
	id := w.space(w.alice, `{}`)
	w.change(w.alice, id, "", put("space/room.json", "{}")).refused(507, model.DiskFull)
	left, err := os.ReadDir(dir)
	check(t, err)
	if len(left) != 0 {
		t.Errorf("folder of bodies: got %v, want it empty", left)
	}
	if lines := w.log.Lines(); len(lines) != 1 || !strings.Contains(lines[0], "the disk of change sets is full") {
		t.Errorf("log: got %q, want one line about the disk", lines)
	}
}
