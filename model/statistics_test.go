package model

import (
	"net/http"
	"strings"
	"testing"
)

// What no public name is would be a person's own network, or a way to write anything into a list.
func TestStatisticHostName_names_public_hosts_alone(t *testing.T) {
	t.Parallel()
	for host, want := range map[string]string{
		"": "", "Example.COM": "example.com", "www.example.com.": "example.com", "news.example:8443": "news.example",
		"xn--mnchen-3ya.example": "xn--mnchen-3ya.example", "localhost": OtherHosts, "192.168.1.7": OtherHosts, "[::1]": OtherHosts,
		"a..example": OtherHosts, "-a.example": OtherHosts, "a.example/path?mail=ada@example.com": OtherHosts, "<b>.example": OtherHosts,
		"a.\x00": OtherHosts, "10.0.0.256": OtherHosts, strings.Repeat("a.", 127) + "example": OtherHosts, "other": OtherHosts,
	} {
		if got := StatisticHostName(host); got != want {
			t.Errorf("%q: got %q, want %q", host, got, want)
		}
	}
}

func TestMayCountVisit_leaves_out_robots_and_who_asks(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, value string
		want        bool
	}{
		{"User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36", true},
		{"User-Agent", "Mozilla/5.0 (Linux; Android 14) CUBOT NOTE 20) Mobile Safari/537.36", true},
		{"User-Agent", "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", false},
		{"User-Agent", "Mozilla/5.0 HeadlessChrome/140.0", false}, {"User-Agent", "facebookexternalhit/1.1", false},
		{"Dnt", "1", false}, {"Dnt", "0", true}, {"Sec-Gpc", "1", false},
	} {
		if got := MayCountVisit(http.Header{row.name: {row.value}}); got != row.want {
			t.Errorf("%s: %s: got %v, want %v", row.name, row.value, got, row.want)
		}
	}
}

func TestStay_is_brought_within_its_limits(t *testing.T) {
	t.Parallel()
	stay := Stay{Place: "embed", Device: "phone", Seconds: 1e300, Host: "WWW.A.example", Tours: []string{"b", "a", "b"}}
	for range 200 {
		stay.Annotations = append(stay.Annotations, strings.Repeat("x", len(stay.Annotations)))
	}
	if err := stay.Normalise(); err != nil {
		t.Fatal(err)
	}
	if stay.Seconds != MaxStaySeconds || stay.Host != "a.example" || len(stay.Tours) != 2 || len(stay.Annotations) != MaxStayEntities {
		t.Errorf("got %v seconds, host %s, %d tours, %d annotations", stay.Seconds, stay.Host, len(stay.Tours), len(stay.Annotations))
	}
	for _, wrong := range []Stay{{Place: "page"}, {Device: "phone"}, {Place: "page", Device: "fridge"}, {Place: "<b>", Device: "phone"}} {
		if wrong.Normalise() == nil {
			t.Errorf("%+v: got no refusal", wrong)
		}
	}
	stay.Seconds = -5
	if err := stay.Normalise(); err != nil || stay.Seconds != 0 {
		t.Errorf("a negative time: got %v and %v", stay.Seconds, err)
	}
}
