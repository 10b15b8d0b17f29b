package client

import (
	"context"
	"io"
	"net/http"
)

// Open opens a file by its public or signed address. The key is not sent: the file may be in a bucket
// of somebody else. The caller closes the file.
func (c *Client) Open(ctx context.Context, address string) (io.ReadCloser, error) {
	withoutKey := Client{Server: c.Server, Transport: c.Transport}
	response, err := withoutKey.open(ctx, http.MethodGet, address, http.Header{}, http.NoBody)
	if err != nil {
		return nil, err
	}
	return response.Body, nil
}
