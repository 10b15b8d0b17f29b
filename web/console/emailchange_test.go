package console_test

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"portico/internal/testkit/mailbox"
	"portico/internal/testkit/world"
)

const (
	readEmailChange   = `{ viewer { emailChange { email requestedAt expiresAt } } }`
	resendEmailChange = `mutation { resendEmailChange { user { emailChange { email } } } }`
	cancelEmailChange = `mutation { cancelEmailChange { user { emailChange { email } } } }`
)

// newMailWorld is a server that sends mail into the mailbox, with the account of email.
func newMailWorld(t *testing.T) (world.World, *mailbox.Server, *person) {
	t.Helper()
	post := mailbox.Start(t)
	w := world.Start(t, "--smtp-url="+post.URL(), "--smtp-from=Portico <portico@example.com>")
	w.StartWorker(t)
	addAccount(t, w, email)
	return w, post, newPerson(t, w, email, password)
}

// wantEmailChange compares the address that waits, "" for none.
func (p *person) wantEmailChange(want string) {
	p.t.Helper()
	data, refusal := p.ask(readEmailChange, nil)
	change, _ := data["viewer"].(map[string]any)["emailChange"].(map[string]any)
	got, _ := change["email"].(string)
	if refusal != "" || got != want {
		p.t.Fatalf("change: got %v, %s, want %q", data, refusal, want)
	}
	if want == "" {
		return
	}
	requested, err := time.Parse(time.RFC3339, change["requestedAt"].(string))
	check(p.t, err)
	expires, err := time.Parse(time.RFC3339, change["expiresAt"].(string))
	check(p.t, err)
	if lasts := expires.Sub(requested); lasts < 24*time.Hour || lasts > 25*time.Hour {
		p.t.Errorf("change: it lasts %s, want 24 hours from the newest link", lasts)
	}
}

func (p *person) changeTo(address string) {
	p.t.Helper()
	p.refuses("change to "+address, changeEmail, map[string]any{"email": address, "password": password}, "")
}

// opens sends the form of a link of a mail, and compares the status.
func (p *person) opens(name, link string, want int) {
	p.t.Helper()
	if got := p.visit(http.MethodPost, link, url.Values{}); got != want {
		p.t.Errorf("%s: got %d, want %d", name, got, want)
	}
}

func TestEmailChange_waits_for_its_newest_link(t *testing.T) {
	t.Parallel()
	_, post, ada := newMailWorld(t)
	ada.wantEmailChange("")
	ada.refuses("send again without a change", resendEmailChange, nil, "NOT_FOUND")
	ada.refuses("cancel without a change", cancelEmailChange, nil, "NOT_FOUND")
	ada.changeTo("first@example.com")
	first := post.Next().Link()
	ada.wantEmailChange("first@example.com")
	ada.changeTo("second@example.com")
	ada.wantEmailChange("second@example.com")
	second := post.Next().Link()
	ada.opens("the link of the change that was replaced", first, http.StatusNotFound)
	// A link that confirms the present address leaves the change alone.
	ada.refuses("confirm the present address", confirmEmail, nil, "")
	present := post.Next().Link()
	ada.refuses("send again", resendEmailChange, nil, "")
	again := post.Next()
	if again.To != "second@example.com" {
		t.Errorf("mail: got one to %s, want second@example.com", again.To)
	}
	ada.awaitEnd(second)
	ada.opens("the link that was sent before", second, http.StatusNotFound)
	ada.opens("the link to the present address", present, http.StatusOK)
	ada.wantEmailChange("second@example.com")
	ada.opens("the newest link", again.Link(), http.StatusOK)
	ada.wantEmailChange("")
	ada.wantAddress(`{"viewer":{"email":"second@example.com","emailConfirmed":true,"receivesMail":true}}`)
}

func TestEmailChange_that_is_canceled_has_no_link(t *testing.T) {
	t.Parallel()
	_, post, ada := newMailWorld(t)
	ada.changeTo("moved@example.com")
	link := post.Next().Link()
	ada.refuses("cancel", cancelEmailChange, nil, "")
	ada.wantEmailChange("")
	ada.opens("the link of a change that was canceled", link, http.StatusNotFound)

	// A mail that has not been sent yet has no link after the change is canceled.
	post.SetDown(true)
	ada.changeTo("unsent@example.com")
	post.AwaitRefusal() // no attempt to send it is running any more
	ada.refuses("cancel before the mail is sent", cancelEmailChange, nil, "")
	post.SetDown(false)
	ada.changeTo("third@example.com")
	if got := post.Next(); got.To != "third@example.com" {
		t.Errorf("mail: got one to %s, want only the one to third@example.com", got.To)
	}
	ada.wantAddress(`{"viewer":{"email":"` + email + `","emailConfirmed":true,"receivesMail":true}}`)
}

func TestEmailChange_is_its_owner_s_in_a_browser(t *testing.T) {
	t.Parallel()
	w, post, ada := newMailWorld(t)
	other := addAccount(t, w, "eve@example.com")
	eve := newPerson(t, w, "eve@example.com", password)
	ada.changeTo("moved@example.com")
	post.Next()
	data, _ := ada.ask(`{ viewer { userId } }`, nil)
	id := data["viewer"].(map[string]any)["userId"].(string)
	data, refusal := eve.ask(`{ user(id: "`+id+`") { emailChange { email } } }`, nil)
	if got := mustJSON(t, data); refusal != "" || got != `{"user":{"emailChange":null}}` {
		t.Errorf("the change of another account: got %s, %s, want null", got, refusal)
	}
	eve.refuses("send another's again", resendEmailChange, nil, "NOT_FOUND")
	eve.refuses("cancel another's", cancelEmailChange, nil, "NOT_FOUND")
	for _, document := range []string{resendEmailChange, cancelEmailChange} {
		if err := other.GraphQL(document, nil, nil); err == nil {
			t.Errorf("%s by a key: got no error", document)
		}
	}
	ada.wantEmailChange("moved@example.com")
}
