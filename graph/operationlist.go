package graph

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/99designs/gqlgen/graphql"
	"github.com/vektah/gqlparser/v2/gqlerror"
)

// OperationList has the operations that an operator has approved: the documents of the operator's
// own clients, by their SHA-256 in hexadecimal.
type OperationList struct{ documents map[string]string }

// ParseOperationList parses a list whose signature, in base64, was made with the Ed25519
// key. The list is an object with the documents by their SHA-256, as the Relay compiler
// writes it, or a manifest of Apollo (apollo-persisted-query-manifest).
//
// The signature (Ed25519, RFC 8032) is over the bytes of the list as they are. It is checked before
// the list is parsed.
func ParseOperationList(list, signature []byte, key ed25519.PublicKey) (*OperationList, error) {
	decoded, err := base64.StdEncoding.DecodeString(strings.TrimSpace(string(signature)))
	if err != nil || len(key) != ed25519.PublicKeySize || !ed25519.Verify(key, list, decoded) {
		return nil, errors.New("the signature of the operations is not by the configured key")
	}
	documents, err := parseDocuments(list)
	if err != nil {
		return nil, fmt.Errorf("read the operations: %w", err)
	}
	for hash, document := range documents {
		if hashOf(document) != hash {
			return nil, fmt.Errorf("operation %q is not listed by the SHA-256 of its text", hash)
		}
	}
	return &OperationList{documents}, nil
}

func parseDocuments(list []byte) (map[string]string, error) {
	var manifest struct {
		Format     string `json:"format"`
		Version    int    `json:"version"`
		Operations []struct{ ID, Body string }
	}
	var documents map[string]string
	if err := json.Unmarshal(list, &manifest); err != nil || manifest.Format == "" {
		return documents, json.Unmarshal(list, &documents)
	}
	if manifest.Format != "apollo-persisted-query-manifest" || manifest.Version != 1 {
		return nil, fmt.Errorf("the manifest has format %q of version %d, which is unknown", manifest.Format, manifest.Version)
	}
	documents = make(map[string]string, len(manifest.Operations))
	for _, operation := range manifest.Operations {
		documents[operation.ID] = operation.Body
	}
	return documents, nil
}

func hashOf(document string) string {
	sum := sha256.Sum256([]byte(document))
	return hex.EncodeToString(sum[:])
}

// listedOperations lets clients send the hash of a listed operation instead of its text. With
// only, it refuses all other operations.
type listedOperations struct {
	list *OperationList
	only bool
}

var _ interface {
	graphql.HandlerExtension
	graphql.OperationParameterMutator
} = listedOperations{}

// codeNotListed is the code of Apollo's servers for an operation that is not on the list.
const codeNotListed = "PERSISTED_QUERY_NOT_IN_LIST"

// ExtensionName implements graphql.HandlerExtension.
func (listedOperations) ExtensionName() string { return "ListedOperations" }

// Validate implements graphql.HandlerExtension.
func (listedOperations) Validate(graphql.ExecutableSchema) error { return nil }

// MutateOperationParameters implements graphql.OperationParameterMutator. It must run before the
// automatic persisted queries, with which clients can register any operation. A client may send the
// text or only the hash, as for automatic persisted queries.
func (l listedOperations) MutateOperationParameters(_ context.Context, params *graphql.RawParams) *gqlerror.Error {
	hash := hashOf(params.Query)
	if params.Query == "" {
		persisted, _ := params.Extensions["persistedQuery"].(map[string]any)
		hash, _ = persisted["sha256Hash"].(string)
	}
	document, listed := l.list.documents[hash]
	switch {
	case listed:
		params.Query = document
		delete(params.Extensions, "persistedQuery")
	case l.only:
		err := gqlerror.Errorf("The operation is not on the list of this server")
		err.Extensions = map[string]any{"code": codeNotListed}
		return err
	}
	return nil
}
