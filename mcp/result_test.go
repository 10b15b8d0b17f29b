package mcp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"portico/model"
)

func TestDoor_hides_internal_errors_and_logs_them_once(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	broken := newQuickTool(toolSpec{name: "broken", title: "Broken"}, func(context.Context, noInput) (messageOutput, error) {
		return messageOutput{}, errors.New("the secret of the database")
	})
	panics := newQuickTool(toolSpec{name: "panics", title: "Panics"}, func(context.Context, noInput) (messageOutput, error) { panic("a secret too") })
	ctx := model.WithCaller(t.Context(), &model.Caller{UserID: w.alice.id})
	for _, tool := range []tool{broken, panics} {
		got, err := w.door.handle(tool)(ctx, &sdk.CallToolRequest{Params: &sdk.CallToolParamsRaw{}})
		check(t, err)
		result{t, got}.refused(model.CodeInternal, "Internal server error")
	}
	equal(t, "lines of the log", strings.Count(w.log.String(), "\n"), 2)
	for _, want := range []string{"the secret of the database", "a secret too", `"tool":"broken"`} {
		if log := w.log.String(); !strings.Contains(log, want) {
			t.Errorf("log: got %s, want %s in it", log, want)
		}
	}
}

func TestErrorResult_renders_every_code(t *testing.T) {
	t.Parallel()
	for _, code := range model.Codes() {
		got := errorResult(&model.Error{Code: code, Message: "Why", RetryAfter: 1500 * time.Millisecond})
		want := string(code) + ": Why"
		if code == model.CodeRateLimited || code == model.CodeInternal {
			want += ". Try again in 2 seconds"
		}
		equal(t, "text", got.Content[0].(*sdk.TextContent).Text, want)
		equal(t, "isError", got.IsError, true)
		equal(t, "_meta.code", got.Meta["code"], any(string(code)))
	}
}
