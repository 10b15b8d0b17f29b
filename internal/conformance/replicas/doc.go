// Package replicas tests the processes of one installation together: two servers and two
// workers, as docs/deploy/compose.yaml starts them.
package replicas
