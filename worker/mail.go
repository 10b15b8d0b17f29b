package worker

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/riverqueue/river"

	"portico/db"
	"portico/model"
	"portico/worker/mail"
)

// linkPages maps each kind of mail with a link to the path of the link's page, and to how long the
// link is valid. The texts of package mail state the same time.
var linkPages = map[model.MailKind]struct {
	path  string
	valid time.Duration
}{
	model.MailConfirm: {model.ConfirmPath, model.ConfirmLifetime},
	model.MailReset:   {model.ResetPath, model.ResetLifetime},
}

// mailTimeout limits an attempt to send one mail.
const mailTimeout = 2 * time.Minute

// errUnknownMail is the error of a mail whose kind this process does not know.
var errUnknownMail = errors.New("unknown kind of mail")

// maxMails is how many mails a worker sends at the same time.
const maxMails = 2

// mailArgs are the arguments that db.EnqueueMail stores.
type mailArgs struct{ model.Mail }

// Kind implements river.JobArgs. It shadows the Kind of the embedded model.Mail.
func (mailArgs) Kind() string { return db.MailKind }

type mailWorker struct {
	river.WorkerDefaults[mailArgs]
	w *Worker
}

// Timeout implements river.Worker.
func (m *mailWorker) Timeout(*river.Job[mailArgs]) time.Duration { return mailTimeout }

// Work implements river.Worker. It logs no address. An error makes River try again later, with
// a new link.
func (m *mailWorker) Work(ctx context.Context, job *river.Job[mailArgs]) error {
	defer m.w.holdLease(job.ID)()
	message := job.Args.Mail
	log := m.w.Logger.With("mail", message.Kind, "attempt", job.Attempt)
	sent, err := m.w.sendMail(ctx, message)
	switch {
	case err == nil && !sent:
		log.Info("mail not sent: no account has the address, the change was canceled, or the account has received too many")
		return nil
	case err == nil:
		log.Info("mail sent")
		return nil
	case errors.Is(err, mail.ErrRefused), errors.Is(err, errUnknownMail):
		log.Warn("mail refused", "error", err)
		return river.JobCancel(err)
	case errors.Is(ctx.Err(), context.Canceled): // the process stops
		return river.JobSnooze(0) // does not count as an attempt
	}
	log.Warn("mail will be tried again", "error", err)
	return err
}

// sendMail sends the mail, with a new link if its kind has one. It reports false without an
// error if no account has the address, if the change to the address was canceled or has expired, or
// if the account has received too many mails.
//
// The database has only the hash of a link's token. The row is written before the mail is sent, so
// that every link that arrives works; a crash in between leaves a row that nobody can use, until it
// expires. The earlier links end after the mail was sent, so that the person always has a link that
// works.
func (w *Worker) sendMail(ctx context.Context, message model.Mail) (sent bool, err error) {
	if message.Kind.IsNotice() {
		return true, w.Mail.Send(ctx, message, "")
	}
	if message.Kind == model.MailReset {
		user, err := w.DB.Accounts().UserByEmail(ctx, message.To)
		if model.CodeOf(err) == model.CodeNotFound {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		message.UserID = user.ID
	}
	page, ok := linkPages[message.Kind]
	if !ok {
		return false, fmt.Errorf("%w: %q", errUnknownMail, message.Kind)
	}
	token := rand.Text()
	hash := sha256.Sum256([]byte(token))
	added, err := w.DB.SignIns().AddMailedLink(ctx, db.MailedLink{
		Hash: hash[:], UserID: message.UserID, Purpose: message.Kind, Email: message.To, ValidFor: page.valid,
	})
	if model.CodeOf(err) == model.CodeNotFound { // the account was deleted meanwhile
		return false, nil
	}
	if err != nil || !added {
		return false, err
	}
	err = w.Mail.Send(ctx, message, w.BaseURL+page.path+"?"+url.Values{"token": {token}}.Encode())
	switch {
	case errors.Is(err, mail.ErrMaybeSent): // somebody may have the link, so it must work and count
		return false, err
	case err != nil: // nobody has the link, so it must not count in the account's limit
		return false, errors.Join(err, w.DB.SignIns().RemoveMailedLink(context.WithoutCancel(ctx), hash[:]))
	}
	// After an error the mail is sent again: earlier links must not stay valid beside the new one.
	return true, w.DB.SignIns().EndEarlierLinks(context.WithoutCancel(ctx), hash[:])
}
