package db

import (
	"fmt"
	"testing"

	"portico/model"
)

// today is a day that no test reaches the end of: rows of it are recent.
func today(t *testing.T, db *DB, ago int) (day string) {
	t.Helper()
	check(t, db.idb.NewRaw("SELECT ((now() AT TIME ZONE 'UTC')::date - ?::int)::text", ago).Scan(t.Context(), &day))
	return day
}

// A visitor names the host, so a thousand invented ones must not become a thousand rows.
func TestAddStatistics_names_a_bounded_number_of_hosts(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	day := today(t, db, 0)
	host := func(name string) model.Statistic {
		return model.Statistic{SpaceID: space.ID, Day: day, Kind: model.StatisticHost, Name: name, Count: 1}
	}
	check(t, db.Spaces().AddStatistics(t.Context(), []model.Statistic{host("first.example"), host(""), host("first.example")}))
	for range 2 {
		var rows []model.Statistic
		for i := range 100 {
			rows = append(rows, host(fmt.Sprintf("h%02d.example", i)))
		}
		check(t, db.Spaces().AddStatistics(t.Context(), append(rows, host("first.example"), host(""), host(model.OtherHosts))))
	}
	stored, err := db.Spaces().StatisticsOf(t.Context(), space.ID)
	check(t, err)
	counts := map[string]int64{}
	for _, row := range stored {
		counts[row.Name] = row.Count
	}
	if len(counts) != model.MaxHostsOfDay+2 {
		t.Errorf("names: got %d, want %d, none and other", len(counts), model.MaxHostsOfDay)
	}
	if counts["first.example"] != 4 || counts[""] != 3 || counts["h00.example"] != 2 || counts[model.OtherHosts] != 2*51+2 {
		t.Errorf("got %d, %d, %d and %d others", counts["first.example"], counts[""], counts["h00.example"], counts[model.OtherHosts])
	}
}

// A batch has the counts of many spaces: one that was deleted must not lose the others'.
func TestAddStatistics_leaves_out_a_deleted_space(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	day := today(t, db, 0)
	check(t, db.Spaces().AddStatistics(t.Context(), []model.Statistic{
		{SpaceID: "10000000_gone", Day: day, Kind: model.StatisticPlace, Name: "page", Count: 1, Seconds: 5},
		{SpaceID: space.ID, Day: day, Kind: model.StatisticPlace, Name: "page", Count: 2, Seconds: 60},
	}))
	found, err := db.Spaces().Statistics(t.Context(), space.ID, 1)
	check(t, err)
	if len(found.Days) != 1 || *found.Days[0] != (model.DayStatistics{Day: day, Stays: 2, Seconds: 60}) || len(found.Places) != 1 {
		t.Errorf("got %+v", found)
	}
}

func TestPurgeStatistics_keeps_ninety_days(t *testing.T) {
	t.Parallel()
	db := testDB(t)
	space := addSpace(t, db, addUser(t, db), "here")
	for _, ago := range []int{0, model.StatisticDays - 1, model.StatisticDays, model.StatisticDays + 1, 400} {
		check(t, db.Spaces().AddStatistics(t.Context(), []model.Statistic{
			{SpaceID: space.ID, Day: today(t, db, ago), Kind: model.StatisticVisit, Count: 1},
		}))
	}
	for _, want := range []int{2, 1, 0} {
		got, err := db.Spaces().PurgeStatistics(t.Context(), 2)
		check(t, err)
		if got != want {
			t.Errorf("purged: got %d, want %d", got, want)
		}
	}
	found, err := db.Spaces().Statistics(t.Context(), space.ID, model.StatisticDays)
	check(t, err)
	if len(found.Days) != 2 {
		t.Errorf("got %d days, want 2", len(found.Days))
	}
}
