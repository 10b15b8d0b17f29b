package page

import (
	"net/http"
	"time"

	"portico/model"
	"portico/web"
)

// privacyPath is where visitors read what the server stores.
const privacyPath = "/privacy"

// Retention is how long a server keeps what its operator decides.
type Retention struct {
	// Jobs is how long ended jobs are kept, Audit events of the audit trail, History versions of
	// spaces, and WebhookLog deliveries of webhooks.
	Jobs, Audit, History, WebhookLog time.Duration
}

// visitMemory is how long the hash of an address keeps a visitor from being counted twice, as the
// database has it.
const visitMemory = 30 * time.Minute

// fact is what the server stores, with the key of its text, and for how long; 0 is until somebody
// deletes it.
type fact struct {
	Key  string
	Keep time.Duration
}

// facts returns what the server stores of people, of accounts first.
func (r Retention) facts() []fact {
	return []fact{
		{"privacy.account", 0}, {"privacy.content", 0}, {"privacy.history", r.History}, {"privacy.jobs", r.Jobs}, {"privacy.webhooks", r.WebhookLog}, {"privacy.uploads", model.UploadGrace},
		{"privacy.names", model.HandleHold}, {"privacy.audit", r.Audit}, {"privacy.session", web.SessionLifetime}, {"privacy.link", web.VisitLifetime},
		{"privacy.visit", visitMemory}, {"privacy.statistics", model.StatisticDays * day}, {"privacy.reports", 0},
	}
}

const day = 24 * time.Hour

// privacyPage is the content of privacy.html.
type privacyPage struct {
	Facts  []shownFact
	Notice string // the address of the operator's own notice; "" for none
}

type shownFact struct{ What, Keep string }

// shownFacts returns the facts in a language.
func (l *language) shownFacts(facts []fact) (shown []shownFact, err error) {
	for _, f := range facts {
		what, err := l.text(f.Key)
		if err != nil {
			return nil, err
		}
		keep, err := l.period(f.Keep)
		if err != nil {
			return nil, err
		}
		shown = append(shown, shownFact{what, keep})
	}
	return shown, nil
}

// period returns a period in the largest unit in which it is a whole number.
func (l *language) period(d time.Duration) (string, error) {
	switch {
	case d == 0:
		return l.text("privacy.deleted")
	case d%day == 0:
		return l.count("privacy.days", int64(d/day))
	case d%time.Hour == 0:
		return l.count("privacy.hours", int64(d/time.Hour))
	}
	return l.count("privacy.minutes", int64(d/time.Minute))
}

// showPrivacy handles GET /privacy.
func (p *Pages) showPrivacy(w http.ResponseWriter, r *request) error {
	facts, err := r.language.shownFacts(p.retention.facts())
	if err != nil {
		return err
	}
	f := p.newFrame(r, privacyPath, nil)
	f.Content = privacyPage{Facts: facts, Notice: p.brand.Privacy}
	if f.Title, err = r.language.text("legal.privacy"); err != nil {
		return err
	}
	return p.respond(w, r, pageResponse{status: http.StatusOK, page: "privacy", policy: p.policies.list, cache: cacheFor(r), frame: f})
}
