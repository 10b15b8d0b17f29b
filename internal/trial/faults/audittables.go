package main

import (
	"context"
	"net/http"
	"slices"

	"portico/internal/testkit/usage"
)

// checkTables looks for rows that contradict each other, which no constraint of the database can
// refuse, and for jobs that failed without an allowed reason. Each query returns the rows that
// violate a rule.
func (w *world) checkTables(ctx context.Context) error {
	for violation, query := range map[string]string{
		"upload that is confirmed without a file": `SELECT id FROM uploads u WHERE state = 'confirmed' AND NOT EXISTS (SELECT FROM files WHERE upload_id = u.id)`,
		"upload that is %s with a file":           `SELECT state || ' ' || id FROM uploads u WHERE state <> 'confirmed' AND EXISTS (SELECT FROM files WHERE upload_id = u.id)`,
		"upload that is processed by nobody":      `SELECT id FROM uploads WHERE state = 'processing'`,
		"job that is completed without a file":    `SELECT id FROM jobs j WHERE status = 'completed' AND NOT EXISTS (SELECT FROM files WHERE resource_key = j.result_key)`,
	} {
		found, err := w.database.queryTexts(ctx, query)
		if err != nil {
			return err
		}
		for _, each := range found {
			w.addViolation("%s: %s", violation, each)
		}
	}
	tries, err := w.database.queryInt(ctx, "SELECT coalesce(sum(tries - 1), 0) FROM jobs")
	if err != nil {
		return err
	}
	w.add("jobs started again", tries)
	failed, err := w.database.queryTexts(ctx, "SELECT error FROM jobs WHERE status <> 'completed'")
	for _, reason := range failed {
		if !slices.Contains(w.allowedFailures, reason) {
			w.addViolation("a job failed: %s", reason)
		}
	}
	return err
}

// checkUsed compares the storage that accounts use with their stored objects and JSON.
func (w *world) checkUsed(ctx context.Context, users []*client, sizes map[string]int64) error {
	for _, c := range users {
		var me struct{ Storage struct{ Used int64 } }
		if err := c.call(ctx, http.MethodGet, "/v1/user/me", nil, &me, http.StatusOK); err != nil {
			return err
		}
		kept, err := w.database.queryInt(ctx, usage.CountJSON, c.id)
		if err != nil {
			return err
		}
		_, stored := keysOf("", c.id+"/", sizes)
		if stored += int64(kept); me.Storage.Used != stored {
			w.addViolation("account %s uses %d bytes, and %d are stored", c.id, me.Storage.Used, stored)
		}
	}
	return nil
}
