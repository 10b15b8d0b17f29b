// Package webhook sends signed events over HTTP, in the form of the Standard Webhooks
// specification. It connects to public addresses, and to networks that the operator allows, only:
// accounts choose the addresses, and must not reach the server's own network. Package worker is
// its user.
package webhook
