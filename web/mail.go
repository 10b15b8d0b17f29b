package web

import (
	"cmp"
	"context"
	"crypto/sha256"
	"time"

	"portico/model"
)

// SendsMail reports whether the server sends mail.
func (s *Site) SendsMail() bool { return s.sendsMail }

// SendConfirmation queues a mail with a link that makes the address the confirmed one of the
// caller's account. Whether the address has another account shows only behind the link: the
// answer must not show who has an account.
func (s *Site) SendConfirmation(ctx context.Context, caller *model.Caller, email string) error {
	if !s.sendsMail {
		return model.Forbidden("This server sends no mail")
	}
	if wait := max(s.limits.letters.Take("by "+caller.UserID), s.limits.letters.Take("confirm "+email)); wait > 0 {
		return tooManyMails(wait)
	}
	return s.queueMail(ctx, model.Mail{Kind: model.MailConfirm, UserID: caller.UserID, To: email})
}

// queueMail queues a mail in its language, or else in the language of the request.
func (s *Site) queueMail(ctx context.Context, mail model.Mail) error {
	mail.Language = cmp.Or(mail.Language, model.OriginFrom(ctx).Language, model.MailLanguage(""))
	return s.db.EnqueueMail(ctx, mail)
}

// tooManyMails is the refusal of a mail.
func tooManyMails(wait time.Duration) error {
	return &model.Error{Code: model.CodeRateLimited, Message: "Too many e-mails were requested. Try again later", RetryAfter: wait}
}

// linkHash returns the hash by which a mailed link is found.
func linkHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
