package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// progressPause is the least time between two notifications about bytes.
const progressPause = 500 * time.Millisecond

// progress tells a client how far its call has come, if it asked to be told. It
// is used by one goroutine at a time.
type progress struct {
	session *sdk.ServerSession
	token   any     // nil: nobody asked
	from    float64 // where a part of the work begins, of 100
	last    float64 // what was told last; -1 before the first time
	at      time.Time
}

func newProgress(request *sdk.CallToolRequest) *progress {
	return &progress{session: request.Session, token: request.Params.GetProgressToken(), last: -1}
}

// asked tells whether somebody listens.
func (p *progress) asked() bool { return p.token != nil }

// tell reports a percentage of the part of the work that goes on. Less than was
// told before is not told: the protocol wants progress that increases.
func (p *progress) tell(ctx context.Context, percent float64, text string) {
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

// tellSometimes is tell for what changes all the time.
func (p *progress) tellSometimes(ctx context.Context, percent float64, text func() string) {
	if p.asked() && time.Since(p.at) >= progressPause {
		p.tell(ctx, percent, text())
	}
}
