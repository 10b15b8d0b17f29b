package account

import (
	"context"

	"portico/db"
	"portico/model"
)

// Applicant is a person who wants an account, with what they have entered.
type Applicant struct {
	Email, Name, Password string
}

// Problems are the reasons why an applicant gets no account, by the field that each is about:
// "email", "name", "password", or "code" for the code of the first account. A person can correct
// all of them together.
type Problems map[string]error

// HasSignup reports whether people can create accounts themselves.
func (r *Registry) HasSignup() bool { return r.signup }

// MaySignUp returns nil if a stranger may create an account. It returns CodeNotFound if sign-up is
// off, and ErrNeedsFirstCode if the first account is not created yet and requires a code.
func (r *Registry) MaySignUp(ctx context.Context) error {
	if !r.signup {
		return model.NotFound("Only the operator of this server can create accounts. Ask them for one")
	}
	return r.requireFirst(ctx)
}

// SignUp creates the account of a stranger, unless MaySignUp refuses it. For an applicant with
// problems it returns no account, and the problems. On a server that is empty and that only this
// machine reaches, it is the first account, as CreateFirst makes it.
//
// The address of the account is not verified. If its owner signs in with a provider later,
// OfProfile revokes the access of the person who signed up.
func (r *Registry) SignUp(ctx context.Context, a Applicant) (*model.User, Problems, error) {
	if err := r.MaySignUp(ctx); err != nil {
		return nil, nil, err
	}
	if empty, err := r.IsEmpty(ctx); err != nil {
		return nil, nil, err
	} else if empty {
		user, problems, err := r.CreateFirst(ctx, r.firstCode, a)
		if model.CodeOf(err) != model.CodeConflict {
			return user, problems, err
		} // somebody else was first
	}
	return r.create(ctx, a, func(tx *db.DB, in model.CreateUser) (*model.User, error) { return r.addUnproven(ctx, tx, in) })
}

// newAccount returns a new account with the plan and the quota that the operator has chosen.
func (r *Registry) newAccount(email, name string) model.CreateUser {
	return model.CreateUser{Email: email, Name: name, Quota: r.quota, Plan: r.plan}
}

// create validates the applicant, and creates an account whose address is not verified with add, in
// a transaction.
//
// The password is hashed before the account is stored, and for a taken address too: both take the
// same time.
func (r *Registry) create(ctx context.Context, a Applicant, add func(tx *db.DB, in model.CreateUser) (*model.User, error)) (*model.User, Problems, error) {
	in, problems, err := r.validate(ctx, a)
	if err != nil || len(problems) > 0 {
		return nil, problems, err
	}
	var user *model.User
	err = r.db.InTx(ctx, func(tx *db.DB) (err error) {
		user, err = add(tx, in)
		return err
	})
	if err != nil && model.AsError(err).Reason == model.ReasonTaken {
		taken := model.Invalidf("There is an account with this address. Sign in instead").WithField("email")
		return nil, Problems{"email": taken}, nil
	}
	if err != nil {
		return nil, nil, err
	}
	return user, nil, nil
}

// validate returns the new account of the applicant, or the problems of all fields.
func (r *Registry) validate(ctx context.Context, a Applicant) (model.CreateUser, Problems, error) {
	in, problems := r.newAccount(a.Email, a.Name), Problems{}
	switch err := in.Validate(); {
	case !isStorable(a.Email), isAbout("email", err):
		problems["email"] = model.Invalidf("Enter an e-mail address such as ada@example.com").WithField("email")
	case isAbout("name", err):
		problems["name"] = err
	case err == nil && in.Name == "":
		problems["name"] = model.Invalidf("Enter the name that others will see").WithField("name")
	case err != nil:
		return in, nil, err
	}
	hash, err := r.passwords.Hash(ctx, a.Password)
	if model.CodeOf(err) == model.CodeInvalid {
		problems["password"] = err
	} else if err != nil {
		return in, nil, err
	}
	in.PasswordHash = hash
	return in, problems, nil
}

// isAbout reports whether the error says that the field is invalid.
func isAbout(field string, err error) bool { return err != nil && model.AsError(err).Field == field }

// addUnproven adds the rows of an account whose address is not verified, in the transaction of tx.
//
// The account, the record that its address is unproven and the mail that asks for a confirmation
// are one transaction: after an error the same address can sign up again.
func (r *Registry) addUnproven(ctx context.Context, tx *db.DB, in model.CreateUser) (*model.User, error) {
	user, err := tx.Accounts().CreateUser(ctx, in)
	if err != nil {
		return nil, err
	}
	if err := tx.SignIns().MarkEmailUnproven(ctx, user.ID); err != nil || !r.sendsMail {
		return user, err
	}
	mail := model.Mail{Kind: model.MailConfirm, UserID: user.ID, To: user.Email}
	return user, tx.Queue().EnqueueMail(ctx, withLanguage(ctx, mail))
}
