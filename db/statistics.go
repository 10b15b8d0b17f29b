package db

import (
	"context"

	"github.com/uptrace/bun/dialect/pgdialect"

	"portico/model"
)

// recentDay is the condition that a row of statistics is of one of the last days, with today.
const recentDay = "day > (now() AT TIME ZONE 'UTC')::date - ?::int"

// DailyVisits returns the visits of each of these spaces on the last days up to today, oldest
// first, by space. Days without visits are left out.
func (db Spaces) DailyVisits(ctx context.Context, spaceIDs []string, days int) (map[string][]*model.DayVisits, error) {
	var found []*model.DayVisits
	err := db.idb.NewRaw(`
		SELECT space_id, day::text, count AS visits FROM daily_statistics
		WHERE space_id = ANY(?::text[]) AND kind = 'visit' AND name = '' AND `+recentDay+`
		ORDER BY day`, pgdialect.Array(spaceIDs), days).Scan(ctx, &found)
	visits := make(map[string][]*model.DayVisits, len(spaceIDs))
	for _, id := range spaceIDs {
		visits[id] = []*model.DayVisits{}
	}
	for _, day := range found {
		visits[day.SpaceID] = append(visits[day.SpaceID], day)
	}
	return visits, translate(err)
}

// AddStatistics adds the counts of the rows to the stored ones. Rows of a space that does not exist, or
// that was deleted meanwhile, are left out. The hosts of a space and a day after the first
// model.MaxHostsOfDay count as model.OtherHosts.
//
// All writers take the rows in the same order, and those of a space after the space itself, as its
// deletion does.
func (db Spaces) AddStatistics(ctx context.Context, rows []model.Statistic) error {
	var spaces, days, kinds, names []string
	var counts, seconds []int64
	for _, row := range rows {
		spaces, days, kinds, names = append(spaces, row.SpaceID), append(days, row.Day), append(kinds, string(row.Kind)), append(names, row.Name)
		counts, seconds = append(counts, row.Count), append(seconds, row.Seconds)
	}
	_, err := db.idb.ExecContext(ctx, `
		WITH open AS (
			SELECT id FROM spaces WHERE id = ANY(?0::text[]) ORDER BY id FOR KEY SHARE
		), told AS (
			SELECT t.* FROM unnest(?0::text[], ?1::date[], ?2::text[], ?3::text[], ?4::bigint[], ?5::bigint[])
				AS t (space_id, day, kind, name, count, seconds) JOIN open ON open.id = t.space_id
		), known AS (
			SELECT told.*, EXISTS (SELECT FROM daily_statistics AS s
				WHERE s.space_id = told.space_id AND s.day = told.day AND s.kind = told.kind AND s.name = told.name) AS stored
			FROM told
		), named AS (
			SELECT space_id, day, kind, count, seconds, CASE
				WHEN kind <> 'host' OR stored OR name IN ('', ?6) THEN name
				WHEN row_number() OVER (PARTITION BY space_id, day, kind, stored OR name IN ('', ?6) ORDER BY name)
					+ (SELECT count(*) FROM daily_statistics AS s
						WHERE s.space_id = known.space_id AND s.day = known.day AND s.kind = 'host' AND s.name NOT IN ('', ?6)) <= ?7 THEN name
				ELSE ?6 END AS name
			FROM known
		)
		INSERT INTO daily_statistics (space_id, day, kind, name, count, seconds)
		SELECT space_id, day, kind, name, sum(count), sum(seconds) FROM named
		GROUP BY space_id, day, kind, name ORDER BY space_id, day, kind, name
		ON CONFLICT (space_id, day, kind, name) DO UPDATE SET count = daily_statistics.count + EXCLUDED.count,
			seconds = daily_statistics.seconds + EXCLUDED.seconds`,
		pgdialect.Array(spaces), pgdialect.Array(days), pgdialect.Array(kinds), pgdialect.Array(names),
		pgdialect.Array(counts), pgdialect.Array(seconds), model.OtherHosts, model.MaxHostsOfDay)
	return translate(err)
}

// maxStatisticNames is how many names of a kind Statistics returns.
const maxStatisticNames = 100

// Statistics returns what came of the space on the last days up to today. Days without anything are
// left out. Of each kind it returns the most frequent names.
func (db Spaces) Statistics(ctx context.Context, spaceID string, days int) (*model.SpaceStatistics, error) {
	found := &model.SpaceStatistics{}
	err := db.idb.NewRaw(`
		SELECT day::text, coalesce(sum(count) FILTER (WHERE kind = 'visit'), 0) AS visits,
			coalesce(sum(count) FILTER (WHERE kind = 'place'), 0) AS stays, coalesce(sum(seconds) FILTER (WHERE kind = 'place'), 0) AS seconds
		FROM daily_statistics WHERE space_id = ? AND `+recentDay+` GROUP BY day ORDER BY day`, spaceID, days).Scan(ctx, &found.Days)
	if err != nil {
		return nil, translate(err)
	}
	var counts []struct {
		Kind model.StatisticKind
		model.StatisticCount
	}
	err = db.idb.NewRaw(`
		WITH summed AS (
			SELECT kind, name, sum(count) AS count, sum(seconds) AS seconds,
				row_number() OVER (PARTITION BY kind ORDER BY sum(count) DESC, name) AS place
			FROM daily_statistics WHERE space_id = ?0 AND day > (now() AT TIME ZONE 'UTC')::date - ?1::int AND kind <> 'visit' GROUP BY kind, name
		)
		SELECT kind, name, count, seconds, coalesce((SELECT left(coalesce(nullif(e.data ->> 'title', ''), nullif(e.data ->> 'name', ''), ''), 200)
			FROM entities AS e WHERE kind IN ('tour', 'annotation') AND e.space_id = ?0 AND e.entity_id = summed.name), '') AS title
		FROM summed WHERE place <= ?2 ORDER BY kind, place`, spaceID, days, maxStatisticNames).Scan(ctx, &counts)
	lists := map[model.StatisticKind]*[]*model.StatisticCount{
		model.StatisticHost: &found.Hosts, model.StatisticPlace: &found.Places, model.StatisticDevice: &found.Devices,
		model.StatisticTour: &found.Tours, model.StatisticAnnotation: &found.Annotations,
	}
	for _, row := range counts {
		if list := lists[row.Kind]; list != nil {
			*list = append(*list, &row.StatisticCount)
		}
	}
	return found, translate(err)
}

// StatisticsOf returns all rows of statistics of a space, oldest first, for an export.
func (db Spaces) StatisticsOf(ctx context.Context, spaceID string) ([]model.Statistic, error) {
	rows := []model.Statistic{}
	err := db.idb.NewRaw(`SELECT space_id, day::text, kind, name, count, seconds FROM daily_statistics
		WHERE space_id = ? ORDER BY day, kind, name`, spaceID).Scan(ctx, &rows)
	return rows, translate(err)
}

// PurgeStatistics deletes up to limit rows of statistics that are older than model.StatisticDays, and
// returns how many.
func (db Spaces) PurgeStatistics(ctx context.Context, limit int) (int, error) {
	result, err := db.idb.ExecContext(ctx, `
		DELETE FROM daily_statistics WHERE (space_id, day, kind, name) IN (
			SELECT space_id, day, kind, name FROM daily_statistics WHERE day <= (now() AT TIME ZONE 'UTC')::date - ?::int
			ORDER BY day LIMIT ? FOR UPDATE SKIP LOCKED)`, model.StatisticDays, limit)
	if err != nil {
		return 0, translate(err)
	}
	n, err := result.RowsAffected()
	return int(n), err
}
