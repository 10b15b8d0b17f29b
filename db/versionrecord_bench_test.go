package db

import (
	"fmt"
	"testing"
)

// BenchmarkRecordFreeVersions records 500 changes at a time, while few or many others wait for it.
func BenchmarkRecordFreeVersions(b *testing.B) {
	for _, waiting := range []int{1_000, 500_000} {
		b.Run(fmt.Sprint(waiting), func(b *testing.B) {
			db := testDB(b)
			space := addSpace(b, db, addUser(b, db), "Hall")
			asAdmin(b, db, "UPDATE users SET quota = 1 << 40")
			add := func(changes int) {
				asAdmin(b, db, `INSERT INTO changes (space_id, target, origin, op, type, before)
					SELECT ?, 'e' || n % 100, 'rest:1', 2, 'Simple', jsonb_build_object('text', repeat(md5(n::text), 30))
					FROM generate_series(1, ?) AS n`, space.ID, changes)
			}
			add(waiting)
			asAdmin(b, db, "VACUUM ANALYZE changes")
			for b.Loop() {
				b.StopTimer()
				add(500)
				b.StartTimer()
				if n, err := db.History().RecordFreeVersions(b.Context(), "", keepAll, 500); err != nil || n != 500 {
					b.Fatalf("record: got %d, %v; want 500 changes", n, err)
				}
			}
		})
	}
}
