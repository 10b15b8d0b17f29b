package account

import (
	"cmp"
	"context"
	"crypto/sha256"
	"time"

	"portico/model"
)

// SendsMail reports whether the operator has configured a mail server.
func (r *Registry) SendsMail() bool { return r.sendsMail }

// SendConfirmation queues a mail with a link that confirms the address for the caller's account.
// The address is the account's, or the new one of a change that waits. An account, and an address,
// get model.MaxMailsPerHour such mails in an hour.
func (r *Registry) SendConfirmation(ctx context.Context, caller *model.Caller, email string) error {
	if err := r.takeConfirmation(caller, email); err != nil {
		return err
	}
	return r.db.Queue().EnqueueMail(ctx, withLanguage(ctx, model.Mail{Kind: model.MailConfirm, UserID: caller.UserID, To: email}))
}

// StartEmailChange queues a mail with a link that makes the address the address of the caller's
// account. It returns no error if the address belongs to another account, because the response must
// not show who has an account. The link then fails.
func (r *Registry) StartEmailChange(ctx context.Context, caller *model.Caller, email string) error {
	if err := r.takeConfirmation(caller, email); err != nil {
		return err
	}
	return r.db.SignIns().StartEmailChange(ctx, withLanguage(ctx, model.Mail{Kind: model.MailConfirm, UserID: caller.UserID, To: email}))
}

// takeConfirmation counts a mail to the address in the limits of the caller and of the address. The
// first keeps an account from sending mail to many people, and the second keeps one person from
// getting many mails. A mail that the first refuses does not count in the second: an account must
// not use up the mails of others.
func (r *Registry) takeConfirmation(caller *model.Caller, email string) error {
	if !r.sendsMail {
		return model.Forbidden("This server sends no mail")
	}
	if wait := r.limits.mails.Take("by " + caller.UserID); wait > 0 {
		return tooManyMails(wait)
	}
	if wait := r.limits.mails.Take("confirm " + email); wait > 0 {
		return tooManyMails(wait)
	}
	return nil
}

// withLanguage returns the mail with a language. If it has none, it gets the language of the
// request.
func withLanguage(ctx context.Context, mail model.Mail) model.Mail {
	mail.Language = cmp.Or(mail.Language, model.OriginFrom(ctx).Language, model.PreferredLanguage(""))
	return mail
}

// tooManyMails returns the error for a mail that exceeds a limit.
func tooManyMails(wait time.Duration) error {
	return &model.Error{Code: model.CodeRateLimited, Message: "Too many e-mails were requested. Try again later", RetryAfter: wait}
}

// AddressToConfirm returns the address that the link with this token confirms, or "" if the link is
// not valid.
func (r *Registry) AddressToConfirm(ctx context.Context, token string) (string, error) {
	return r.db.SignIns().MailedAddress(ctx, linkHash(token), model.MailConfirm)
}

// ConfirmEmail makes the address of the link with this token the confirmed address of the account.
// It returns CodeNotFound if the link is not valid for the account. A mail to the former address is
// in the language.
func (r *Registry) ConfirmEmail(ctx context.Context, token, userID, language string) error {
	return r.db.SignIns().ConfirmEmail(ctx, linkHash(token), userID, language)
}

// linkHash returns the hash under which the database stores the token of a mailed link.
func linkHash(token string) []byte {
	sum := sha256.Sum256([]byte(token))
	return sum[:]
}
