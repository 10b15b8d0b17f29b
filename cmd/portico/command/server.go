package command

import "portico/client"

// ServerFlags are the flags of the commands that call a server with the key of an account.
type ServerFlags struct {
	Server string `help:"Address of the server." env:"PORTICO_URL" default:"http://127.0.0.1:8080"`
	Key    string `help:"API key of the account." env:"PORTICO_KEY" required:""`
}

// Client returns a client of the server.
func (f *ServerFlags) Client() *client.Client { return client.New(f.Server, f.Key) }
