package tus

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
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
	"portico/internal/counter"
	"portico/internal/envelope"
	"portico/internal/semaphore"
	"portico/limit"
	"portico/model"
)

// The limits of requests that send bytes.
const (
	// stallTimeout is how long a request may send nothing. Then it ends, and the client can
	// continue in another request.
	stallTimeout = 20 * time.Second
	// interruptTimeout is how long HEAD and DELETE wait for the end of the request that they
	// interrupt.
	interruptTimeout = 10 * time.Second
	// maxSmall is the maximum number of PATCHes of an account in a smallWindow that store less than
	// smallPiece bytes and not the last ones of the upload. Each costs the server as much as a large
	// one: it asks the database and the bucket for the offset.
	maxSmall    = 300
	smallWindow = time.Minute
	smallPiece  = 64 << 10
	// yieldRetryAfter is how long the client of a request that gave way should wait.
	yieldRetryAfter = 5 * time.Second
	// disconnectGrace is how long the context of a store lasts after the client has disconnected.
	// Our store does not need it: it stores the received bytes with its own context.
	disconnectGrace = time.Millisecond
)

// Options configures New. All fields but Session and Limiter are required.
type Options struct {
	// Resolver has the rules of uploads.
	Resolver *graph.Resolver
	// Keys finds the caller of a request by its key.
	Keys *auth.Keys
	// Session returns the caller of a browser's session, or nil. Nil accepts no sessions.
	Session func(*http.Request) (*model.Caller, error)
	// Limiter counts all requests but the ones that send bytes with a valid key or session. Nil
	// means no limit of requests at all.
	Limiter *limit.Limiter
	// Sending has a place for each request that sends bytes (graph.NewSendingRoom).
	Sending *semaphore.Room
	// BaseURL is the public address of the server, without a final slash.
	BaseURL string
	// MaxFileSize is the largest upload in bytes that Resolver accepts.
	MaxFileSize int64
	// Logger receives internal errors.
	Logger *slog.Logger
}

type door struct {
	Options
	protocol *tusd.UnroutedHandler
	locks    locks
	small    *counter.Attempts // PATCHes that stored little, by account; nil means no limit
}

// New returns the handler of the paths below graph.ResumablePath.
func New(o Options) (http.Handler, error) {
	d := &door{Options: o}
	if o.Limiter != nil {
		d.small = counter.NewAttempts(maxSmall, smallWindow)
	}
	composer := tusd.NewStoreComposer()
	composer.UseCore(store{d})
	composer.UseTerminater(store{d})
	composer.UseConcater(store{d})
	composer.UseLocker(&d.locks)
	protocol, err := tusd.NewUnroutedHandler(tusd.Config{
		StoreComposer: composer, BasePath: graph.ResumablePath, Cors: &tusd.CorsConfig{Disable: true},
		// tusd logs the addresses of clients, so its log is dropped. refuse logs internal errors.
		Logger:         tuslog.New(tuslog.NewTextHandler(io.Discard, &tuslog.HandlerOptions{Level: tuslog.Level(math.MaxInt)})),
		NetworkTimeout: stallTimeout, AcquireLockTimeout: interruptTimeout, GracefulRequestCompletionTimeout: disconnectGrace,
	})
	if err != nil {
		return nil, fmt.Errorf("tus: %w", err)
	}
	d.protocol = protocol
	return http.HandlerFunc(d.serve), nil
}

// policy is the CORS policy. It lets pages of every origin upload with a key. Browsers send no
// cookies with requests of other origins.
func policy() cors.Policy {
	const headers = "Tus-Resumable, Tus-Version, Tus-Extension, Tus-Max-Size, Upload-Offset, Upload-Length, Upload-Concat, Upload-Expires"
	return cors.Policy{
		Methods: allMethods, Headers: "authorization, content-type, upload-offset, tus-resumable", AnyHeader: true,
		Exposed: headers + ", Retry-After, WWW-Authenticate, X-Request-Id",
	}
}

// serve handles a request. It handles a request without a valid key or session with 401 before all
// other checks.
func (d *door) serve(w http.ResponseWriter, r *http.Request) {
	r = withMethod(r)
	policy().Allow(w.Header())
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Tus-Resumable", protocolVersion)
	if r.Method == http.MethodOptions {
		d.describe(w.Header())
		policy().Preflight(w, r)
		return
	}
	who, err := d.caller(r)
	if err == nil {
		r = r.WithContext(model.WithCaller(r.Context(), who))
	}
	if limited := d.count(r, who, err); limited != nil {
		err = limited
	}
	if err == nil {
		ctx, release := who.Watch(r.Context())
		defer release()
		err = d.serveMethod(w, r.WithContext(ctx), who)
	}
	if err != nil {
		d.refuse(w, r, err)
	}
}

// count counts a request for its account or, without a valid key or session, for its address.
// refusal is why caller refused the request. count returns an error over the limit.
//
// A request that sends bytes counts only without a valid key, because a large upload may need many
// of them. The room of serveMethod limits how many run at the same time. small limits those that
// store little: WriteChunk takes the others off the count.
func (d *door) count(r *http.Request, who *model.Caller, refusal error) error {
	sendsBytes := r.Method == http.MethodPatch && r.ContentLength != 0
	if refusal == nil && sendsBytes {
		if wait := d.small.Take(who.UserID); wait > 0 {
			return &model.Error{Code: model.CodeRateLimited, Message: "Too many requests that store few bytes. Send larger pieces", RetryAfter: wait}
		}
		return nil
	}
	if refusal != nil && model.CodeOf(refusal) != model.CodeUnauthenticated {
		return nil // the response is the internal error
	}
	return d.Limiter.TakeRequest(r)
}

// describe sets the headers that describe the server to clients (tus 1.0, OPTIONS).
func (d *door) describe(h http.Header) {
	h.Set("Tus-Version", protocolVersion)
	// The extensions creation and concatenation are missing, because createUpload creates an upload
	// and its parts.
	h.Set("Tus-Extension", "termination,expiration")
	h.Set("Tus-Max-Size", strconv.FormatInt(d.MaxFileSize, 10))
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

// serveMethod handles the request of a caller. It checks the owner of the upload before it calls
// tusd, because tusd interrupts the other request of an upload before it reads the upload.
//
// A PATCH holds one of the slots of its account for as long as bytes arrive.
func (d *door) serveMethod(w http.ResponseWriter, r *http.Request, who *model.Caller) error {
	id, ok := strings.CutPrefix(strings.TrimRight(r.URL.Path, "/"), graph.ResumablePath)
	if !ok || id == "" || strings.Contains(id, "/") {
		return model.NotFound(model.UploadNotFound)
	}
	handle := map[string]http.HandlerFunc{
		http.MethodHead: d.protocol.HeadFile, http.MethodPatch: d.protocol.PatchFile, http.MethodDelete: d.protocol.DelFile,
	}[r.Method]
	if handle == nil {
		refuseMethod(w, r, allMethods)
		return nil
	}
	upload, err := d.Resolver.ReceivingUpload(r.Context(), id)
	if err != nil {
		return err
	}
	if r.Method == http.MethodDelete && upload.Part != nil {
		refuseMethod(w, r, partMethods)
		return nil
	}
	if err := checkHeaders(w, r, upload.Length()); err != nil {
		return err
	}
	var place *semaphore.Place // nil for other methods
	if r.Method == http.MethodPatch {
		// As HEAD and DELETE do: what was received is stored, and the client continues.
		if place, ok = d.Sending.Enter(who.UserID, 1, func() { d.locks.interrupt(id) }); !ok {
			return &model.Error{Code: model.CodeRateLimited, Message: "Too many uploads at the same time", RetryAfter: stallTimeout}
		}
		defer place.Leave()
	}
	w.Header().Set("Upload-Expires", upload.ExpiresAt.UTC().Format(http.TimeFormat))
	r = r.WithContext(context.WithValue(r.Context(), requestKey{}, &request{upload, r, place}))
	r.URL = &url.URL{Path: "/" + id} // tusd uses the whole path as the id
	d.protocol.Middleware(handle).ServeHTTP(&responseWriter{
		ResponseWriter: w, hasNoBody: r.Method == http.MethodHead, isDivided: upload.Part == nil && upload.Parts > 0, place: place,
	}, r)
	return nil
}

// The methods of an upload, and of a part: an upload is discarded as a whole.
const (
	allMethods  = "HEAD, PATCH, DELETE, OPTIONS"
	partMethods = "HEAD, PATCH, OPTIONS"
)

var errTooLong = model.TooLargef("The body is longer than the file")

// refuseMethod responds to a request with another method than the allowed ones.
func refuseMethod(w http.ResponseWriter, r *http.Request, allowed string) {
	status, body := view.RefuseMethod(w.Header(), strings.Split(allowed, ", ")...)
	writeRefusal(w, r.Method, status, body)
}

// refuse responds with an error, and logs an internal one.
func (d *door) refuse(w http.ResponseWriter, r *http.Request, err error) {
	if refusal, ok := errors.AsType[tusd.Error](err); ok {
		writeRefusal(w, r.Method, refusal.HTTPResponse.StatusCode, envelope.NewRefusal(refusal.Message))
		return
	}
	e := model.AsError(err)
	model.LogFault(r.Context(), d.Logger, err, "door", "tus", "method", r.Method)
	body := view.Refuse(w.Header(), r, e, d.BaseURL+model.ResourceMetadataPath)
	writeRefusal(w, r.Method, e.HTTPStatus(), body)
}

// writeRefusal sends no body in response to HEAD.
func writeRefusal(w http.ResponseWriter, method string, status int, body envelope.Refusal) {
	if method == http.MethodHead {
		envelope.WriteStatus(w, status)
		return
	}
	envelope.Write(w, status, body)
}
