// Package operator has what operators do with the accounts, spaces, jobs and files of their server.
package operator

import (
	"context"

	"portico/db"
	"portico/graph/access"
	"portico/graph/accounts"
	"portico/graph/object"
	"portico/model"
)

// Service has the operations of operators. Each checks that the caller is one.
type Service struct {
	access        *access.Rules
	db            *db.DB
	objects       *object.Remover
	accounts      *accounts.Service
	settings      []*model.Setting
	storeRequests func(ctx context.Context) error
}

// Parts are what a Service is made of.
type Parts struct {
	Access   *access.Rules
	DB       *db.DB
	Objects  *object.Remover
	Accounts *accounts.Service
	// Settings are the settings of the process.
	Settings []*model.Setting
	// StoreRequests stores the counts of requests that this process has in memory; nil for none.
	StoreRequests func(ctx context.Context) error
}

// New returns the operations of these parts.
func New(p Parts) *Service {
	return &Service{
		access: p.Access, db: p.DB, objects: p.Objects, accounts: p.Accounts, settings: p.Settings, storeRequests: p.StoreRequests,
	}
}
