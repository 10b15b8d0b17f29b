package model

import (
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"strings"
)

// StatisticDays is how many days of statistics the server keeps of each space, with today.
const StatisticDays = 90

// StatisticKind is what a row of statistics counts.
type StatisticKind string

// What is counted of a space and a day. The visits are of recordVisit; all others are of stays, which
// the page of the space reports when a visitor leaves.
const (
	StatisticVisit      StatisticKind = "visit"
	StatisticHost       StatisticKind = "host"       // the host of the page that led here; "" for none
	StatisticPlace      StatisticKind = "place"      // StayPlaces, with the time spent
	StatisticDevice     StatisticKind = "device"     // StayDevices
	StatisticTour       StatisticKind = "tour"       // the id of an entity
	StatisticAnnotation StatisticKind = "annotation" // the id of an entity
)

// Statistic is a row of statistics: what was counted of a space on a day. It has nothing of a person.
type Statistic struct {
	SpaceID string        `json:"-"`
	Day     string        `json:"day"` // in UTC, as 2006-01-02
	Kind    StatisticKind `json:"kind"`
	Name    string        `json:"name"`
	Count   int64         `json:"count"`
	Seconds int64         `json:"seconds"`
}

const (
	// MaxStaySeconds is the longest time that one report adds.
	MaxStaySeconds = 3600
	// MaxStayEntities is the maximum number of tours, and of annotations, of one report.
	MaxStayEntities = 50
	// MaxHostsOfDay is how many hosts are named of a space and a day. Those after them are OtherHosts.
	MaxHostsOfDay = 50
	// OtherHosts stands for hosts without a name of their own in the statistics. No host has this name.
	OtherHosts = "other"
)

// Where the page of a space is shown, and on what.
var (
	stayPlaces  = []string{"page", "embed"}
	stayDevices = []string{"desktop", "tablet", "phone", "headset"}
)

// Stay is what the page of a space reports when its visitor leaves, or hides it. Nothing in it is
// trusted.
type Stay struct {
	SpaceID string `json:"-"`
	// Continued reports that the page has reported before: only what is new is in this one.
	Continued   bool     `json:"continued"`
	Host        string   `json:"host"`
	Place       string   `json:"place"`
	Device      string   `json:"device"`
	Seconds     float64  `json:"seconds"`
	Tours       []string `json:"tours"`
	Annotations []string `json:"annotations"`
}

// Normalise refuses a place or a device that does not exist, and brings everything else within its
// limits.
func (s *Stay) Normalise() error {
	if !slices.Contains(stayPlaces, s.Place) {
		return InvalidField("place", "must be page or embed")
	}
	if !slices.Contains(stayDevices, s.Device) {
		return InvalidField("device", "must be desktop, tablet, phone or headset")
	}
	s.Host = StatisticHostName(s.Host)
	s.Seconds = min(max(s.Seconds, 0), MaxStaySeconds)
	s.Tours, s.Annotations = distinctIDs(s.Tours), distinctIDs(s.Annotations)
	return nil
}

// distinctIDs returns each id once, and at most MaxStayEntities of them.
func distinctIDs(ids []string) []string {
	ids = slices.Clone(ids[:min(len(ids), MaxStayEntities)])
	slices.Sort(ids)
	return slices.Compact(ids)
}

// hostName is a name in the DNS with at least two labels, the last one not a number. A longer name is
// refused before.
var hostName = regexp.MustCompile(`^([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z]([a-z0-9-]*[a-z0-9])?$`)

// StatisticHostName returns a host as the statistics name it: in lower case and without www, a port
// or a final dot. It returns OtherHosts for what is no public name, such as an address, and "" for "".
func StatisticHostName(host string) string {
	if host == "" {
		return ""
	}
	if len(host) > 253 {
		return OtherHosts
	}
	name, _, _ := strings.Cut(strings.ToLower(host), ":")
	name = strings.TrimPrefix(strings.TrimSuffix(name, "."), "www.")
	if _, err := netip.ParseAddr(name); err == nil || !hostName.MatchString(name) {
		return OtherHosts
	}
	return name
}

// robots are names in the User-Agent of programs that read pages by themselves. Cubot makes phones.
var robots = regexp.MustCompile(`(?i)[^u]bot\b|crawl|spider|slurp|facebookexternalhit|embedly|preview|lighthouse|pagespeed|pingdom|uptime|archiver|scrapy|headlesschrome`)

// MayCountVisit reports whether a request may be counted as a visit: not one of a robot, and not one of
// a person who asks not to be tracked (Do Not Track, Global Privacy Control).
func MayCountVisit(h http.Header) bool {
	return h.Get("Dnt") != "1" && h.Get("Sec-Gpc") != "1" && !robots.MatchString(h.Get("User-Agent"))
}

// SpaceStatistics is what came of a space in the last days.
type SpaceStatistics struct {
	Days                                       []*DayStatistics
	Hosts, Places, Devices, Tours, Annotations []*StatisticCount
}

// DayStatistics is what came of a space on a day.
type DayStatistics struct {
	Day     string // in UTC, as 2006-01-02
	Visits  int64
	Stays   int64
	Seconds int64
}

// StatisticCount is how often something was counted.
type StatisticCount struct {
	Name    string
	Title   string // of an entity that still has one
	Count   int64
	Seconds int64
}
