// Package operator has the commands with which an operator works on the database of a server:
// accounts, jobs, spaces, the audit trail and the export of an account. The server need not run.
package operator

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"portico/cmd/portico/command"
	"portico/model"
	"portico/server/operator"
	"portico/server/settings"
)

// UserCommand groups the commands that manage accounts.
type UserCommand struct {
	Add      userAddCommand      `cmd:"" help:"Add an account and print it, with its API key, as JSON."`
	Set      userSetCommand      `cmd:"" help:"Change an account and print it as JSON."`
	List     userListCommand     `cmd:"" help:"Print all accounts, one JSON object per line."`
	Operator userOperatorCommand `cmd:"" help:"Allow or forbid an account to operate the server in the console."`
	Disable  userDisableCommand  `cmd:"" help:"Disable an account: its key, sessions and apps stop working immediately, and its spaces become Private."`
	Enable   userEnableCommand   `cmd:"" help:"Enable a disabled account. Its spaces get their privacy back."`
	Delete   userDeleteCommand   `cmd:"" help:"Delete an account and everything in it."`

	Codes userCodesCommand `cmd:"" help:"Manage the one-time codes of an account."`
}

// Account is the JSON form of an account. Fields that the API also has use its names. Sizes are in
// bytes.
type Account struct {
	ID        string     `json:"id"`
	Email     string     `json:"email"`
	Name      string     `json:"name"`
	Plan      model.Plan `json:"plan"`
	Quota     int64      `json:"quota"`
	CreatedAt model.Time `json:"created_at"`
	// APIKey is set only when the account is added, because a list of accounts must not be a
	// list of keys.
	APIKey string `json:"api_key,omitempty"`
	// The fields below are set only in lists.
	Storage        *storageUsage `json:"storage,omitempty"`
	Operator       bool          `json:"operator,omitempty"`
	DisabledAt     *model.Time   `json:"disabled_at,omitempty"`
	DisabledReason string        `json:"disabled_reason,omitempty"`
}

// storageUsage is the storage of an account in bytes; see model.Storage.
type storageUsage struct {
	Used int64 `json:"used"`
	// Reserved is for uploads that have started and are not complete. Its name is GraphQL's.
	Reserved int64 `json:"promised"`
}

// newAccount returns the JSON form of an account, without its key and storage.
func newAccount(u *model.User) Account {
	return Account{ID: u.ID, Email: u.Email, Name: u.Name, Plan: u.Plan, Quota: u.Quota, CreatedAt: u.CreatedAt}
}

// newListedAccount returns the JSON form of an account in a list.
func newListedAccount(a *model.Account) Account {
	printed := newAccount(&a.User)
	printed.Storage = &storageUsage{Used: a.Storage.Used, Reserved: a.Storage.Reserved}
	printed.Operator, printed.DisabledReason = a.Operator, a.DisabledReason
	if !a.DisabledAt.IsZero() {
		printed.DisabledAt = &a.DisabledAt
	}
	return printed
}

type userAddCommand struct {
	Email    string         `arg:"" help:"E-mail address."`
	Password string         `help:"Password for signing in; - reads it from the first line of standard input, so that it is not in the list of processes." placeholder:"P"`
	Name     string         `help:"Name that others see. Default: Member, and the id of the account." placeholder:"N"`
	Pro      bool           `help:"Give the account the Pro plan."`
	Quota    *settings.Size `help:"Storage quota. Default: PORTICO_DEFAULT_QUOTA." placeholder:"BYTES"`
}

// Run adds the account and prints it with its API key, for the operator to pass on.
//
// The flags win over the settings of new accounts, PORTICO_DEFAULT_QUOTA and the plan.
func (c *userAddCommand) Run(ctx context.Context, in *command.Invocation) error {
	password, err := readPassword(c.Password, in.In)
	if err != nil {
		return err
	}
	account := model.CreateUser{Email: c.Email, Name: c.Name, Quota: int64(in.Config.DefaultQuota), Plan: model.Plan(in.Config.Plan)}
	if c.Pro {
		account.Plan = model.PlanPro
	}
	if c.Quota != nil {
		account.Quota = int64(*c.Quota)
	}
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		user, key, err := o.AddAccount(ctx, account, password)
		if err != nil {
			return err
		}
		printed := newAccount(user)
		printed.APIKey = key
		return command.PrintJSON(in.Out, printed)
	})
}

// userSetCommand is "portico user set". Flags that are not set change nothing.
type userSetCommand struct {
	Account  string         `arg:"" name:"email" help:"E-mail address, or id."`
	Pro      bool           `xor:"plan" help:"Give the account the Pro plan."`
	Free     bool           `xor:"plan" help:"Give the account the Free plan."`
	Quota    *settings.Size `help:"Storage quota." placeholder:"BYTES"`
	Password string         `help:"New password; - reads it from the first line of standard input. A new password ends the account's API key and all sessions." placeholder:"P"`
}

// Run changes the account and prints it.
//
// In the change, an empty plan or password and a nil quota mean that the account keeps its own.
func (c *userSetCommand) Run(ctx context.Context, in *command.Invocation) error {
	password, err := readPassword(c.Password, in.In)
	if err != nil {
		return err
	}
	change := operator.AccountChange{Quota: (*int64)(c.Quota), Password: password}
	switch {
	case c.Pro:
		change.Plan = model.PlanPro
	case c.Free:
		change.Plan = model.PlanFree
	}
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		user, err := o.UpdateAccount(ctx, c.Account, change)
		if err != nil {
			return err
		}
		return command.PrintJSON(in.Out, newAccount(user))
	})
}

// userListCommand is "portico user list". It prints the newest account first.
type userListCommand struct {
	Search string `help:"Only accounts whose address or name contains TEXT, or whose id is TEXT." placeholder:"TEXT"`
}

// Run prints the accounts.
func (c *userListCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		return o.Accounts(ctx, c.Search, func(account *model.Account) error {
			return command.PrintJSON(in.Out, newListedAccount(account))
		})
	})
}

type userOperatorCommand struct {
	Account string          `arg:"" name:"email" help:"E-mail address, or id."`
	Switch  settings.Switch `arg:"" name:"on|off" help:"Whether the account may operate the server in the console: on or off."`
}

// Run makes the account an operator, or an ordinary account, and prints it.
func (c *userOperatorCommand) Run(ctx context.Context, in *command.Invocation) error {
	return changeAccount(ctx, in, func(o *operator.Operator) (*model.Account, error) {
		return o.SetOperator(ctx, c.Account, c.Switch.On())
	})
}

type userDisableCommand struct {
	Account string `arg:"" name:"email" help:"E-mail address, or id."`
	Reason  string `help:"Reason, for other operators." placeholder:"TEXT"`
}

// Run disables the account and prints it.
func (c *userDisableCommand) Run(ctx context.Context, in *command.Invocation) error {
	return changeAccount(ctx, in, func(o *operator.Operator) (*model.Account, error) {
		return o.DisableAccount(ctx, c.Account, c.Reason)
	})
}

type userEnableCommand struct {
	Account string `arg:"" name:"email" help:"E-mail address, or id."`
}

// Run enables the account and prints it.
func (c *userEnableCommand) Run(ctx context.Context, in *command.Invocation) error {
	return changeAccount(ctx, in, func(o *operator.Operator) (*model.Account, error) {
		return o.EnableAccount(ctx, c.Account)
	})
}

func changeAccount(ctx context.Context, in *command.Invocation, change func(*operator.Operator) (*model.Account, error)) error {
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		changed, err := change(o)
		if err != nil {
			return err
		}
		return command.PrintJSON(in.Out, newListedAccount(changed))
	})
}

type userDeleteCommand struct {
	Account string `arg:"" name:"email" help:"E-mail address, or id."`
	Yes     bool   `help:"Confirm that the account, its spaces and its files are deleted permanently."`
}

// Run deletes the account and prints its id.
func (c *userDeleteCommand) Run(ctx context.Context, in *command.Invocation) error {
	if !c.Yes {
		return errors.New("this deletes the account, its spaces and its files for good: add --yes")
	}
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		id, err := o.DeleteAccount(ctx, c.Account)
		if err != nil {
			return err
		}
		return command.PrintJSON(in.Out, struct {
			Deleted string `json:"deleted"`
		}{id})
	})
}

// userCodesCommand groups the commands that manage one-time codes.
type userCodesCommand struct {
	Off userCodesOffCommand `cmd:"" help:"Turn one-time codes off for an account whose owner has lost the app and the recovery codes."`
}

type userCodesOffCommand struct {
	Account string `arg:"" name:"email" help:"E-mail address, or id."`
}

// Run turns the codes off and prints the account. The audit trail names the command.
func (c *userCodesOffCommand) Run(ctx context.Context, in *command.Invocation) error {
	return in.WithOperator(ctx, func(o *operator.Operator) error {
		user, err := o.EndOneTimeCodes(ctx, c.Account)
		if err != nil {
			return err
		}
		return command.PrintJSON(in.Out, newAccount(user))
	})
}

// fromStdin is the value of a password flag that selects standard input.
const fromStdin = "-"

// maxPasswordLine limits how many bytes are read from standard input. Package auth refuses
// passwords that are much shorter than this.
const maxPasswordLine = 64 << 10

// readPassword returns the value of a password flag, or the first line of in if the value is
// fromStdin.
func readPassword(flag string, in io.Reader) (string, error) {
	if flag != fromStdin {
		return flag, nil
	}
	line, err := bufio.NewReader(io.LimitReader(in, maxPasswordLine)).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return "", fmt.Errorf("read the password: %w", err)
	}
	password := strings.TrimRight(line, "\r\n")
	if password == "" {
		return "", errors.New("the first line of standard input is empty: it must be the password")
	}
	return password, nil
}
