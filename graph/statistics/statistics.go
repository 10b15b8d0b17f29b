// Package statistics counts what came of spaces, without anything that belongs to a person: numbers for
// each space and day, which are added in memory and stored in batches.
package statistics

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"portico/db"
	"portico/graph/access"
	"portico/internal/background"
	"portico/model"
)

const (
	// storeInterval is how often the counts in memory are stored.
	storeInterval = 10 * time.Second
	// storeTimeout limits one store.
	storeTimeout = 5 * time.Second
	// maxRows is how many rows are counted in memory. While the database is away, what would be
	// another row is dropped.
	maxRows = 10_000
	// batchRows is how many rows are stored by one statement.
	batchRows = 500
)

// The types of the entities that a visitor can finish, by the kind of their statistics.
var typesOf = map[model.StatisticKind]string{model.StatisticTour: "TourEntity", model.StatisticAnnotation: "AnnotationEntity"}

// key names a row of statistics.
type key struct {
	space, day string
	kind       model.StatisticKind
	name       string
}

type sums struct{ count, seconds int64 }

// Service counts stays, and reads the counts.
type Service struct {
	access *access.Rules
	db     *db.DB

	mu      sync.Mutex
	counts  map[key]sums
	storing sync.Mutex // one store at a time
}

// New returns a service that has counted nothing.
func New(rules *access.Rules, rows *db.DB) *Service {
	return &Service{access: rules, db: rows, counts: map[key]sums{}}
}

// RecordStay counts what a page reports of a stay in a space that the caller, or everybody, may read.
// It counts nothing of the owner. Tours and annotations that the space does not have are dropped.
func (s *Service) RecordStay(ctx context.Context, stay model.Stay) error {
	space, err := s.access.ReadableSpace(ctx, stay.SpaceID)
	if err != nil {
		return err
	}
	if err := stay.Normalise(); err != nil {
		return err
	}
	if access.Owns(model.CallerFrom(ctx), space) {
		return nil
	}
	rows := map[key]sums{}
	day := time.Now().UTC().Format(time.DateOnly)
	count := int64(1)
	if stay.Continued {
		count = 0
	} else {
		rows[key{space.ID, day, model.StatisticHost, stay.Host}] = sums{count: 1}
		rows[key{space.ID, day, model.StatisticDevice, stay.Device}] = sums{count: 1}
	}
	rows[key{space.ID, day, model.StatisticPlace, stay.Place}] = sums{count: count, seconds: int64(stay.Seconds)}
	finished := map[model.StatisticKind][]string{model.StatisticTour: stay.Tours, model.StatisticAnnotation: stay.Annotations}
	for kind, ids := range finished {
		known, err := s.known(ctx, space.ID, typesOf[kind], ids)
		if err != nil {
			return err
		}
		for _, id := range known {
			rows[key{space.ID, day, kind, id}] = sums{count: 1}
		}
	}
	s.add(rows)
	return nil
}

// known returns the ids of entities of the space that have this type.
func (s *Service) known(ctx context.Context, spaceID, entityType string, ids []string) (known []string, err error) {
	printable := ids[:0:0]
	for _, id := range ids {
		if access.IsPrintableASCII(id) { // others belong to no entity, and Postgres fails on some
			printable = append(printable, id)
		}
	}
	if len(printable) == 0 {
		return nil, nil
	}
	found, err := s.db.Entities().EntitiesOfSpace(ctx, spaceID, printable)
	for id, entity := range found {
		if entity.Type == entityType {
			known = append(known, id)
		}
	}
	return known, err
}

func (s *Service) add(rows map[key]sums) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for k, n := range rows {
		old, ok := s.counts[k]
		if !ok && len(s.counts) >= maxRows {
			continue
		}
		s.counts[k] = sums{old.count + n.count, old.seconds + n.seconds}
	}
}

// SpaceStatistics returns what came of a space of the caller on each of the last days. What this process
// has counted is stored before.
func (s *Service) SpaceStatistics(ctx context.Context, spaceID string, days int) (*model.SpaceStatistics, error) {
	space, err := s.access.OwnedSpace(ctx, spaceID)
	if err != nil {
		return nil, err
	}
	if days < 1 || days > model.StatisticDays {
		return nil, model.InvalidField("days", fmt.Sprintf("must be between 1 and %d", model.StatisticDays))
	}
	if err := s.Store(ctx); err != nil {
		return nil, err
	}
	return s.db.Spaces().Statistics(ctx, space.ID, days)
}

// Store stores what was counted since the last call. What cannot be stored is kept for the next one.
//
// It does not end with ctx: Postgres may have committed a statement that was canceled, whose counts
// the next call would add again.
func (s *Service) Store(ctx context.Context) error {
	s.storing.Lock()
	defer s.storing.Unlock()
	s.mu.Lock()
	counted := s.counts
	s.counts = map[key]sums{}
	s.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), storeTimeout)
	defer cancel()
	for len(counted) > 0 {
		var rows []model.Statistic
		batch := map[key]sums{}
		for k, n := range counted {
			if len(rows) == batchRows {
				break
			}
			rows = append(rows, model.Statistic{SpaceID: k.space, Day: k.day, Kind: k.kind, Name: k.name, Count: n.count, Seconds: n.seconds})
			batch[k] = n
		}
		if err := s.db.Spaces().AddStatistics(ctx, rows); err != nil {
			s.add(counted)
			return err
		}
		for k := range batch {
			delete(counted, k)
		}
	}
	return nil
}

// StartStoring stores the counts at intervals until stop is called. stop stores the last counts, and
// returns when the loop has ended, or when its context ends.
func (s *Service) StartStoring(logger *slog.Logger) (stop func(context.Context)) {
	var outage background.OutageLog
	store := func(ctx context.Context) {
		outage.Record(logger, s.Store(ctx), "store the statistics of spaces", "the statistics of spaces are stored again")
	}
	var loop background.Group
	loop.Go(func(ctx context.Context) {
		for background.Pause(ctx, storeInterval); ctx.Err() == nil; background.Pause(ctx, storeInterval) {
			store(ctx)
		}
	})
	return func(ctx context.Context) {
		err := background.Within(ctx, func() error {
			loop.Stop()
			store(ctx) // what was counted since the last store
			return nil
		})
		if err != nil {
			logger.Warn("store the last statistics of spaces", "error", err)
		}
	}
}
