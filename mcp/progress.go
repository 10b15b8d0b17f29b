package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressPause is the minimum time between two notifications about bytes.
const progressPause = 500 * time.Millisecond

// progress notifies a client of the progress of its call, if it asked for that. It
// is used by one goroutine at a time.
type progress struct {
	session *sdk.ServerSession
	token   any     // nil: nobody asked
	from    float64 // where a part of the work begins, of 100
	last    float64 // the last percentage that was sent; -1 before the first
	at      time.Time
}

func newProgress(request *sdk.CallToolRequest) *progress {
	return &progress{session: request.Session, token: request.Params.GetProgressToken(), last: -1}
}

// asked reports whether the client wants notifications.
func (p *progress) asked() bool { return p.token != nil }

// notify sends the percentage of the current part of the work. It skips one that is
// not higher than the last: the protocol requires progress that increases.
func (p *progress) notify(ctx context.Context, percent float64, text string) {
	total := p.from + percent*(100-p.from)/100
	if !p.asked() || total <= p.last {
		return
	}
	p.last, p.at = total, time.Now()
	// It fails when the client is gone, which ends ctx as well.
	_ = p.session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
		ProgressToken: p.token, Progress: total, Total: 100, Message: text,
	})
}

// notifySometimes is notify for a value that changes all the time.
func (p *progress) notifySometimes(ctx context.Context, percent float64, text func() string) {
	if p.asked() && time.Since(p.at) >= progressPause {
		p.notify(ctx, percent, text())
	}
}
