package account

import (
	"context"

	"portico/model"
)

// RequestReset queues a mail with a link that sets a new password, in the language. The answer and
// its time are the same for every address, because the worker that sends the mail looks up the
// account. It returns CodeInvalid for a text that is not an address.
func (r *Registry) RequestReset(ctx context.Context, email, language string) error {
	email, err := model.NormaliseEmail(email)
	if err != nil || !isStorable(email) {
		return model.Invalidf("Enter an e-mail address such as ada@example.com").WithField("email")
	}
	// Above the limit of the recipient, no mail is sent, and the response is the same.
	if r.limits.mails.Take("reset "+email) > 0 {
		return nil
	}
	return r.db.Queue().EnqueueMail(ctx, withLanguage(ctx, model.Mail{Kind: model.MailReset, To: email, Language: language}))
}

// CanReset reports whether the link with this token sets a password.
func (r *Registry) CanReset(ctx context.Context, token string) (bool, error) {
	return r.db.SignIns().MailedLinkIsValid(ctx, linkHash(token), model.MailReset)
}

// ResetPassword sets the password of the account to which the link with this token was mailed, and
// revokes all access to it. It returns CodeInvalid for a password that is not permitted, and
// CodeNotFound if the link is not valid.
func (r *Registry) ResetPassword(ctx context.Context, token, password string) error {
	hash, err := r.passwords.Hash(ctx, password)
	if err != nil {
		return err
	}
	return r.db.SignIns().ResetPassword(ctx, linkHash(token), hash)
}
