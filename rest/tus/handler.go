package tus

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	tusd "github.com/tus/tusd/v2/pkg/handler"
	tuslog "golang.org/x/exp/slog"

	"portico/auth"
	"portico/graph"
	"portico/graph/view"
	"portico/internal/cors"
	"portico/internal/semaphore"
	"portico/limit"
	"portico/model"
)

// The limits of requests that send bytes.
const (
	// stallTimeout is how long a request may send nothing. After it, the client may continue
	// in another request.
	stallTimeout = 20 * time.Second
	// takeOver is how long HEAD waits for the request that it interrupts.
	takeOver = 10 * time.Second
	// perAccount and inAll are how many uploads an account and all accounts together may send
	// at a time. In a bucket's store each takes 8 MiB of memory.
	perAccount, inAll = 8, 48
	// afterwards is the time that tusd gives a store after the client has left. Ours needs
	// none: it stores what has arrived by a context of its own.
	afterwards = time.Millisecond
)

// Options configures New. All fields but Session are required.
type Options struct {
	Resolver *graph.Resolver
	Keys     *auth.Keys
	// Session returns the caller of a browser's session, or nil. Nil accepts no sessions.
	Session func(*http.Request) (*model.Caller, error)
	// Limiter counts the requests of strangers.
	Limiter *limit.Limiter
	// BaseURL is the public address of the server, without a final slash.
	BaseURL string
	Logger  *slog.Logger
}

type door struct {
	Options
	protocol *tusd.UnroutedHandler
	locks    locks
	sending  semaphore.Keyed
}

// New returns the handler of the paths below graph.ResumablePath.
func New(o Options) (http.Handler, error) {
	d := &door{Options: o, sending: semaphore.Keyed{PerKey: perAccount, Total: inAll}}
	composer := tusd.NewStoreComposer()
	composer.UseCore(store{d})
	composer.UseTerminater(store{d})
	composer.UseConcater(store{d})
	composer.UseLocker(&d.locks)
	protocol, err := tusd.NewUnroutedHandler(tusd.Config{
		StoreComposer: composer, BasePath: graph.ResumablePath, Cors: &tusd.CorsConfig{Disable: true},
		// tusd logs addresses. Errors that are ours to mend are logged here.
		Logger:         tuslog.New(discard{}),
		NetworkTimeout: stallTimeout, AcquireLockTimeout: takeOver, GracefulRequestCompletionTimeout: afterwards,
	})
	if err != nil {
		return nil, fmt.Errorf("tus: %w", err)
	}
	d.protocol = protocol
	return http.HandlerFunc(d.serve), nil
}

// policy lets pages of every origin upload with a key. Browsers send no cookies with such
// requests.
func policy() cors.Policy {
	const headers = "Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Upload-Offset, Upload-Length, Upload-Concat, Upload-Expires"
	return cors.Policy{
		Methods: "HEAD, PATCH, DELETE, OPTIONS", Headers: "authorization, content-type, upload-offset, tus-resumable", AnyHeader: true,
		Exposed: headers + ", Retry-After, WWW-Authenticate, X-Request-Id",
	}
}

// serve answers a request. Without a valid key or session it answers 401 before it looks at
// anything else.
func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	policy().Allow(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	if r.Method == http.MethodOptions {
		d.describe(w.Header())
		policy().Preflight(w, r)
		return
	}
	who, err := d.caller(r)
	if model.CodeOf(err) == model.CodeUnauthenticated {
		if limited := d.Limiter.Take(r.Context(), d.Limiter.Subject(r), limit.All); limited != nil {
			err = limited
		}
	}
	if err == nil {
		ctx, release := d.watch(model.WithCaller(r.Context(), who), who)
		defer release()
		err = d.answer(w, r.WithContext(ctx), who)
	}
	if err != nil {
		d.refuse(w, r, err)
	}
}

// describe sets the headers with which a client learns what the server can do.
func (d *door) describe(h http.Header) {
	h.Set("Tus-Resumable", "1.0.0")
	h.Set("Tus-Version", "1.0.0")
	// Not creation, and not concatenation: an upload and its parts are made by createUpload.
	h.Set("Tus-Extension", "termination,expiration")
	h.Set("Tus-Max-Size", strconv.FormatInt(d.Resolver.Settings.MaxFileSize, 10))
}

// caller returns the caller by the key in the header, or by the session of the browser.
func (d *door) caller(r *http.Request) (who *model.Caller, err error) {
	switch {
	case r.Header.Get("Authorization") != "":
		who, err = d.Keys.Caller(r.Context(), auth.Token(r))
	case d.Session != nil:
		who, err = d.Session(r)
	}
	if err == nil && who == nil {
		err = &model.Error{Code: model.CodeUnauthenticated, Message: "Sign in, or send an API key"}
	}
	return who, err
}

// watch returns a context that ends when the key or the session is revoked.
func (d *door) watch(ctx context.Context, who *model.Caller) (context.Context, context.CancelFunc) {
	if who.Watch != nil {
		return who.Watch(ctx)
	}
	return d.Keys.Watch(ctx, who.KeyID)
}

// answer checks whose the upload is before tusd sees the request, because tusd interrupts
// the request of another client before it reads the upload.
func (d *door) answer(w http.ResponseWriter, r *http.Request, who *model.Caller) error {
	id, ok := strings.CutPrefix(strings.TrimRight(r.URL.Path, "/"), graph.ResumablePath)
	if !ok || id == "" || strings.Contains(id, "/") {
		return model.NotFound(model.UploadNotFound)
	}
	handle := map[string]http.HandlerFunc{
		http.MethodHead: d.protocol.HeadFile, http.MethodPatch: d.protocol.PatchFile, http.MethodDelete: d.protocol.DelFile,
	}[r.Method]
	if handle == nil {
		w.Header().Set("Allow", policy().Methods)
		return errMethod
	}
	upload, err := d.Resolver.ReceivingUpload(r.Context(), id)
	if err != nil {
		return err
	}
	if r.Method == http.MethodDelete && upload.Part != nil {
		w.Header().Set("Allow", partMethods)
		return errMethod
	}
	if r.Method == http.MethodPatch {
		// tusd adds the length to the offset, and does not notice when the sum overflows.
		if r.ContentLength > upload.Length() {
			return errTooLong
		}
		release, ok := d.sending.Acquire(who.UserID)
		if !ok {
			return &model.Error{Code: model.CodeRateLimited, Message: "Too many uploads at the same time", RetryAfter: stallTimeout}
		}
		defer release()
	}
	w.Header().Set("Upload-Expires", upload.ExpiresAt.UTC().Format(http.TimeFormat))
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, &request{upload, r}))
	r.URL = &url.URL{Path: "/" + id} // tusd takes the whole path for the id
	d.protocol.Middleware(handle).ServeHTTP(&answerWriter{ResponseWriter: w, bare: r.Method == http.MethodHead, whole: upload.Part == nil && upload.Parts > 0}, r)
	return nil
}

// partMethods are the methods of a part: an upload is given up as a whole.
const partMethods = "HEAD, PATCH, OPTIONS"

// The refusals of requests that the protocol does not know.
var (
	errMethod  = model.Invalidf("Method not allowed")
	errTooLong = model.TooLargef("The body is longer than the file")
)

// refuse answers with an error, and logs an internal one.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	e := model.AsError(err)
	status := e.Code.HTTPStatus()
	switch {
	case e == errMethod:
		status = http.StatusMethodNotAllowed
	case e.Code == model.CodeInternal && r.Context().Err() == nil:
		d.Logger.Error("resumable upload", "method", r.Method, "error", err, "request_id", model.RequestID(r.Context()))
	}
	body := view.Refuse(w.Header(), r, e, d.BaseURL+"/.well-known/oauth-protected-resource")
	writeRefusal(w, r.Method, status, body)
}

// writeRefusal sends the error envelope of the API.
func writeRefusal(w http.ResponseWriter, method string, status int, body view.Refusal) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	if method != http.MethodHead {
		// An error means that the client has left.
		_ = json.NewEncoder(w).Encode(body)
	}
}
