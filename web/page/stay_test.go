package page_test

import (
	"strings"
	"testing"

	"portico/model"
)

// A page reports while its visitor leaves. Nothing in the report is trusted, and who may not open the
// space cannot write into its statistics.
func TestStay_is_counted_of_those_who_may_open_the_space(t *testing.T) {
	t.Parallel()
	p := open(t)
	ada := p.account("Ada")
	bob := p.account("Bob")
	public, private := p.space(ada, "Hall", "", model.Public), p.space(ada, "Cellar", "", model.Private)
	p.entity(ada, public, "TourEntity", map[string]any{"entity_id": "round", "title": "Round"})
	var found struct {
		Entities []struct {
			EntityID string `json:"entity_id"`
		} `json:"entities"`
	}
	_, err := ada.REST("GET", "/spaces/"+public+"/entities", nil, &found)
	check(t, err)
	tour := found.Entities[0].EntityID
	own := []string{"Content-Type", "text/plain;charset=UTF-8", "Origin", p.BaseURL(), "Sec-Fetch-Site", "same-origin"}
	report := `{"place": "embed", "device": "phone", "host": "www.News.example", "seconds": 40, "tours": ["` + tour + `", "made-up"], "annotations": ["` + tour + `"]}`
	for _, row := range []struct {
		name, space, body string
		headers           []string
		want              int
	}{
		{"a visitor", public, report, nil, 204},
		{"more of the same visitor", public, `{"continued": true, "place": "embed", "device": "phone", "host": "second.example", "seconds": 1e9}`, nil, 204},
		{"a robot", public, report, []string{"User-Agent", "Googlebot/2.1"}, 204},
		{"who asks not to be tracked", public, report, []string{"Dnt", "1"}, 204},
		{"global privacy control", public, report, []string{"Sec-Gpc", "1"}, 204},
		{"a page of another site", public, report, []string{"Origin", "https://evil.example", "Sec-Fetch-Site", "cross-site"}, 403},
		{"no report", public, "", nil, 400},
		{"an unknown device", public, `{"place": "page", "device": "<b>"}`, nil, 400},
		{"too large", public, `{"place": "page", "device": "phone", "tours": ["` + strings.Repeat("x", 20<<10) + `"]}`, nil, 400},
		{"a Private space", private, report, nil, 403},
		{"a space that does not exist", "10000000_" + strings.Repeat("a", 24), report, nil, 404},
	} {
		if got := p.stranger().send("POST", "/"+row.space, row.body, append(own, row.headers...)...); got.status != row.want {
			t.Errorf("%s: got %d, want %d\n%s", row.name, got.status, row.want, got.body)
		}
	}
	p.signedIn("Ada").send("POST", "/"+public, report, own...) // its owner

	const query = `query($id: ID!) { spaceStatistics(spaceId: $id) {
		days { stays seconds } hosts { name count } places { name count seconds } devices { name count } tours { name title count } annotations { name } } }`
	var s struct {
		Days                                       []model.DayStatistics
		Hosts, Places, Devices, Tours, Annotations []model.StatisticCount
	}
	check(t, ada.GraphQL(query, map[string]any{"id": public}, &s))
	if len(s.Days) != 1 || s.Days[0].Stays != 1 || s.Days[0].Seconds != 40+model.MaxStaySeconds {
		t.Errorf("days: got %+v", s.Days)
	}
	if len(s.Hosts) != 1 || s.Hosts[0].Name != "news.example" || s.Hosts[0].Count != 1 {
		t.Errorf("hosts: got %+v", s.Hosts)
	}
	if len(s.Places) != 1 || s.Places[0].Name != "embed" || len(s.Devices) != 1 || s.Devices[0].Name != "phone" {
		t.Errorf("got %+v on %+v", s.Places, s.Devices)
	}
	if len(s.Tours) != 1 || s.Tours[0] != (model.StatisticCount{Name: tour, Title: "Round", Count: 1}) || len(s.Annotations) != 0 {
		t.Errorf("finished: got %+v and %+v, which is no annotation", s.Tours, s.Annotations)
	}
	if err := bob.GraphQL(query, map[string]any{"id": public}, nil); err == nil {
		t.Error("the statistics of another account's space: got no refusal")
	}
}
