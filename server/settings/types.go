package settings

import (
	"cmp"
	"fmt"
	"log/slog"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"portico/limit"
	"portico/model"
)

// This file has the types of settings, which kong reads with UnmarshalText. Each error shows the
// accepted form. Kong adds the name of the variable.

// Size is a number of bytes, written plain or with KB MB GB TB KiB MiB GiB TiB.
//
// Negative sizes do not match the pattern. Decimal numbers are rounded down to whole bytes.
type Size int64

// The form of sizes. KB is 1,000 bytes and KiB is 1,024 (IEC 80000-13).
var (
	sizePattern = regexp.MustCompile(`^([0-9]+(?:\.[0-9]+)?) ?([KMGT]i?B|B|)$`)
	units       = map[string]float64{
		"": 1, "B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12,
		"KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "TiB": 1 << 40,
	}
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Size) UnmarshalText(text []byte) error {
	parts := sizePattern.FindSubmatch(text)
	if parts == nil {
		return fmt.Errorf("%q is not a size such as 1500000, 20GB or 1.5GiB", text)
	}
	factor := units[string(parts[2])]
	if whole, err := strconv.ParseInt(string(parts[1]), 10, 64); err == nil && factor == 1 {
		*s = Size(whole) // a float is exact only up to 2^53
		return nil
	}
	number, err := strconv.ParseFloat(string(parts[1]), 64)
	if bytes := number * factor; err == nil && bytes < math.MaxInt64 {
		*s = Size(bytes)
		return nil
	}
	return fmt.Errorf("%q is too large", text)
}

// Period is a duration that can also be in days, such as 90d.
//
// A day is 24 hours.
type Period time.Duration

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Period) UnmarshalText(text []byte) error {
	if digits, ok := strings.CutSuffix(string(text), "d"); ok {
		days, err := strconv.ParseUint(digits, 10, 16)
		if err != nil {
			return fmt.Errorf("%q is not a number of days such as 90d", text)
		}
		*p = Period(time.Duration(days) * 24 * time.Hour)
		return nil
	}
	d, err := time.ParseDuration(string(text))
	if err != nil {
		return fmt.Errorf("%q is not a duration such as 36h or 90d", text)
	}
	*p = Period(d)
	return nil
}

// Switch is a setting that is "on" or "off". The zero value is off. It is not a bool, because kong
// lets a bool flag have no value and shows no placeholder for it.
type Switch string

// On reports whether the setting is "on". Empty means off.
func (s Switch) On() bool { return s == "on" }

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Switch) UnmarshalText(text []byte) error {
	switch value := string(text); value {
	case "on", "off":
		*s = Switch(value)
		return nil
	}
	return fmt.Errorf("%q is not on or off", text)
}

// RateLimits says whether rate limits apply, and contains the limits of single scopes. The zero
// value is on, with the default limits.
type RateLimits struct {
	isOff bool
	// scopes are the limits that differ from the defaults.
	scopes map[limit.Scope]int
}

// maxRateLimit is the maximum limit of a scope. A higher one would be a typing error, or no limit.
const maxRateLimit = 10_000_000

// On reports whether rate limits apply.
func (l RateLimits) On() bool { return !l.isOff }

// Scopes returns the limits that differ from the defaults.
func (l RateLimits) Scopes() map[limit.Scope]int { return l.scopes }

// String returns the limits in the form that UnmarshalText reads.
func (l RateLimits) String() string {
	if l.isOff {
		return "off"
	}
	items := make([]string, 0, len(l.scopes))
	for _, scope := range slices.Sorted(maps.Keys(l.scopes)) {
		items = append(items, fmt.Sprintf("%s=%d", scope, l.scopes[scope]))
	}
	return cmp.Or(strings.Join(items, ","), "on")
}

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *RateLimits) UnmarshalText(text []byte) error {
	*l = RateLimits{isOff: string(text) == "off"}
	if l.isOff || string(text) == "on" {
		return nil
	}
	l.scopes = map[limit.Scope]int{}
	for item := range strings.SplitSeq(string(text), ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(item), "=")
		if !ok {
			return fmt.Errorf("%q is not on, off or limits such as upload=60,entities=600", text)
		}
		if err := limit.CheckScope(name); err != nil {
			return err
		}
		count, err := strconv.Atoi(value)
		if err != nil || count < 1 || count > maxRateLimit {
			return fmt.Errorf("%s: %q is not a number from 1 to %d", name, value, maxRateLimit)
		}
		l.scopes[limit.Scope(name)] = count
	}
	return nil
}

// Plan is the plan of new accounts. Empty means that the operator has not turned plans on.
type Plan model.Plan

// UnmarshalText implements encoding.TextUnmarshaler.
func (p *Plan) UnmarshalText(text []byte) error {
	switch *p = Plan(text); model.Plan(*p) {
	case model.PlanFree, model.PlanPro:
		return nil
	}
	return fmt.Errorf("%q is not free or pro", text)
}

// FilesAccess determines who may read files.
type FilesAccess string

// The values of FilesAccess.
const (
	FilesPublic    FilesAccess = "public"    // everyone with the address
	FilesProtected FilesAccess = "protected" // see graph.ShownFiles
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (a *FilesAccess) UnmarshalText(text []byte) error {
	switch value := FilesAccess(text); value {
	case FilesPublic, FilesProtected:
		*a = value
		return nil
	}
	return fmt.Errorf("%q is not public or protected", text)
}

// Level is the minimum level of the log.
type Level slog.Level

// UnmarshalText implements encoding.TextUnmarshaler.
func (l *Level) UnmarshalText(text []byte) error {
	switch string(text) {
	case "debug", "info", "warn", "error":
		return (*slog.Level)(l).UnmarshalText(text)
	}
	return fmt.Errorf("%q is not debug, info, warn or error", text)
}

// ClientDocuments is the setting PORTICO_CLIENT_DOCUMENTS: whether the server offers apps to identify
// themselves by a client ID metadata document. The zero value is on, without a check.
type ClientDocuments string

// The values of ClientDocuments.
const (
	DocumentsAuto ClientDocuments = "auto" // offered once the server has reached the internet
	DocumentsOn   ClientDocuments = "on"
	DocumentsOff  ClientDocuments = "off"
)

// UnmarshalText implements encoding.TextUnmarshaler.
func (d *ClientDocuments) UnmarshalText(text []byte) error {
	switch value := ClientDocuments(text); value {
	case DocumentsAuto, DocumentsOn, DocumentsOff:
		*d = value
		return nil
	}
	return fmt.Errorf("%q is not auto, on or off", text)
}
