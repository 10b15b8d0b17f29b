package server

import (
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"fmt"
	"os"

	"portico/graph"
)

// checkOperationList checks the settings of the list of GraphQL operations.
func (c *Config) checkOperationList() error {
	if c.GraphQLOperations == "" {
		if c.GraphQLOnlyListed.On() {
			return errors.New("PORTICO_GRAPHQL_ONLY_LISTED: needs PORTICO_GRAPHQL_OPERATIONS")
		}
		return nil
	}
	if key, err := base64.StdEncoding.DecodeString(c.GraphQLOperationsKey); err != nil || len(key) != ed25519.PublicKeySize {
		return fmt.Errorf(
			"PORTICO_GRAPHQL_OPERATIONS: needs PORTICO_GRAPHQL_OPERATIONS_KEY, the %d bytes of an Ed25519 public key in base64", ed25519.PublicKeySize)
	}
	return nil
}

// operationList reads the list of GraphQL operations and its signature, which is in the file
// of the same name with .sig appended. It returns nil without a list.
//
// It is read once: a new list needs a restart.
func (p *Program) operationList() (*graph.OperationList, error) {
	path := p.Config.GraphQLOperations
	if path == "" {
		return nil, nil //nolint:nilnil // a list is optional
	}
	list, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("PORTICO_GRAPHQL_OPERATIONS: %w", err)
	}
	signature, err := os.ReadFile(path + ".sig")
	if err != nil {
		return nil, fmt.Errorf("PORTICO_GRAPHQL_OPERATIONS: %w", err)
	}
	key, err := base64.StdEncoding.DecodeString(p.Config.GraphQLOperationsKey)
	if err != nil {
		return nil, fmt.Errorf("PORTICO_GRAPHQL_OPERATIONS_KEY: %w", err)
	}
	operations, err := graph.ParseOperationList(list, signature, key)
	if err != nil {
		return nil, fmt.Errorf("PORTICO_GRAPHQL_OPERATIONS: %w", err)
	}
	return operations, nil
}
