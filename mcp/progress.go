package mcp

import (
	"context"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// minNotifyInterval is the minimum time between two notifications of notifyThrottled.
const minNotifyInterval = 500 * time.Millisecond

// progress notifies a client of the progress of its call, if the call has a progress token.
// One goroutine at a time may use it.
//
// Percentages are from 0 to 100. A tool with two parts, such as a download and its job, moves start
// between them.
type progress struct {
	session *sdk.ServerSession
	token   any       // nil if the client wants no notifications
	start   float64   // the percentage where the current part of the work starts
	last    float64   // the percentage that was sent last; -1 before the first
	sentAt  time.Time // when the last notification was sent
}

func newProgress(request *sdk.CallToolRequest) *progress {
	return &progress{session: request.Session, token: request.Params.GetProgressToken(), last: -1}
}

// isWanted reports whether the client wants notifications.
func (p *progress) isWanted() bool { return p.token != nil }

// notify sends the percentage of the current part of the work. It skips a percentage that
// is not higher than the last one: the protocol requires progress to increase.
func (p *progress) notify(ctx context.Context, percent float64, text string) {
	total := p.start + percent*(100-p.start)/100
	if !p.isWanted() || total <= p.last {
		return
	}
	p.last, p.sentAt = total, time.Now()
	// This fails only when the client has disconnected, which ends ctx too.
	_ = p.session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{
		ProgressToken: p.token, Progress: total, Total: 100, Message: text,
	})
}

// notifyThrottled is notify, but sends at most one notification in minNotifyInterval. It calls text
// only if it sends.
func (p *progress) notifyThrottled(ctx context.Context, percent float64, text func() string) {
	if p.isWanted() && time.Since(p.sentAt) >= minNotifyInterval {
		p.notify(ctx, percent, text())
	}
}
